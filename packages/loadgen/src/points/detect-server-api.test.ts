import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../fake-server/fake-server.ts';
import type { FakeOptions } from '../fake-server/options.ts';
import { requestBody } from '../prompts/body.ts';
import { detectServerApi } from './detect-server-api.ts';
import { endpointOf, type ModelServer, pathOf, prefixOf } from './server.ts';

let fake: FakeServer | null = null;
afterEach(async () => {
  await fake?.close();
});

const modelServer = (port: number): ModelServer => ({
  connect: { host: 'localhost', port, address: '127.0.0.1', tls: false },
  ...{ prefix: '', headers: {}, model: 'fake-model', endpoint: 'chat', dialect: 'openai', forcing: 'none' },
});

async function detect(options: Partial<FakeOptions>, fixed: 'chat' | null = null) {
  const server = await startFakeServer({ ttftMs: 1, itlMs: 1, ...options });
  fake = server;
  let requests = 0;
  const given = modelServer(server.port);
  const detected = await detectServerApi(given, fixed, async (path, body) => {
    requests++;
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  });
  return { detected, given, requests };
}

test('keeps the settings if the server accepts the first request', async () => {
  const { detected, given, requests } = await detect({});
  expect([detected, requests]).toEqual([given, 1]);
});

test.each<[FakeOptions['refuses'], Partial<ModelServer>, RegExp]>([
  ['chat', { endpoint: 'completions' }, /does not support chat completions/],
  ['temperature', { omits: ['temperature'] }, /rejects temperature/],
  ['max_tokens', { tokensField: 'max_completion_tokens' }, /max_completion_tokens is sent/],
  ['any_max_tokens', { omits: ['max_tokens'] }, /rejects max_tokens: it is omitted, and responses may have any length/],
])('retries without %s if the server rejects it, with a note', async (refuses, change, note) => {
  const { detected, requests } = await detect({ refuses });
  expect(detected).toMatchObject(change);
  expect(detected.notes).toEqual([expect.stringMatching(note)]);
  expect(requests).toBe(2);
});

/** How a server that rejects these responds to a request. */
function respond(rejected: readonly string[], path: string, body: string): { status: number; text: string } {
  const refuse = (status: number, message: string) => ({ status, text: JSON.stringify({ error: { message } }) });
  if (rejected.includes('chat') && path.endsWith('/chat/completions')) return refuse(404, 'Not Found');
  for (const field of ['temperature', 'max_tokens'])
    if (rejected.includes(field) && body.includes(`"${field}"`)) return refuse(400, `Extra inputs: ${field}`);
  return { status: 200, text: '{}' };
}

test('adapts to a server that rejects several parts of a request, with at most five requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray(['chat', 'temperature', 'max_tokens']), async (rejected) => {
      const statuses: number[] = [];
      const detected = await detectServerApi(modelServer(1), null, async (path, body) => {
        const response = respond(rejected, path, body);
        statuses.push(response.status);
        return response;
      });
      expect(statuses.at(-1)).toBe(200);
      expect(statuses).toHaveLength(1 + rejected.length);
      expect(detected.notes ?? []).toHaveLength(rejected.length);
      const measured = JSON.stringify(requestBody({ ...detected, prompt: '1 word', outputTokens: 16 }));
      expect(respond(rejected, pathOf(detected), measured).status).toBe(200);
    }),
  );
});

test('keeps an endpoint chosen by the user', async () => {
  const { detected, given, requests } = await detect({ refuses: 'chat' }, 'chat');
  expect([detected, requests]).toEqual([given, 1]);
});

test('keeps the settings if the server fails', async () => {
  const { detected, given, requests } = await detect({ fault: { kind: 'status_500', every: 1, at: 0 } });
  expect([detected, requests]).toEqual([given, 1]);
});

test.each([
  ['/', '', null],
  ['/v1', '', null],
  ['/v1/', '', null],
  ['/team/v1', '/team', null],
  ['/v1/chat/completions', '', 'chat'],
  ['/team/v1/completions/', '/team', 'completions'],
  ['/v1/models', '', null],
])('reads from the path %s the prefix %j and the endpoint %s', (path, prefix, endpoint) => {
  expect([prefixOf(path), endpointOf(path)]).toEqual([prefix, endpoint]);
});
