import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminKey, startTestServer, type TestServer } from '../support/server.ts';
import { wordsOf } from '../support/site/browser.ts';

let server: TestServer;
const submitted: string[] = [];

async function submit(model: string, key: string | null) {
  const system = {
    model,
    quantization: 'fp8',
    gpu: 'h100-sxm',
    gpu_count: 1,
    engine: { name: 'vllm', version: '0.11.0' },
  };
  const load = { mode: 'concurrency', level: 8 };
  const results = [{ scenario: 'chatbot', load, metrics: { output_tok_s: 100 + submitted.length } }];
  const response = await fetch(`${server.url}/v1/submissions`, {
    method: 'POST',
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
    body: JSON.stringify({ schema: 'inferboard/v1', system, results }),
  });
  expect(response.status).toBe(201);
  submitted.push(((await response.json()) as { id: string }).id);
}

const textOf = async (path: string) => wordsOf(await (await fetch(server.url + path)).text());

beforeAll(async () => {
  server = await startTestServer({ SAMPLE_DATA: 'false', REGISTRATION: 'open' });
  for (let at = 0; at < 26; at++) await submit('llama-3.1-8b', adminKey);
  await submit('qwen3-8b', null);
});
afterAll(async () => {
  await server?.dispose();
});

test('lists the newest submissions first, with what they measured and who sent them', async () => {
  const html = await (await fetch(`${server.url}/submissions`)).text();
  const listed = [...html.matchAll(/<a href="\/submissions\/(sub_\w+)"/g)].map(([, id]) => id);
  expect(listed).toEqual(submitted.toReversed().slice(0, 25));
  const text = wordsOf(html);
  expect(text).toContain('Qwen3 8B · FP8 · H100 SXM5 80GB · vLLM 0.11.0 anonymous-');
  expect(text).toContain('Llama 3.1 8B · FP8 · H100 SXM5 80GB · vLLM 0.11.0');
});

test('leads to the older ones and back', async () => {
  const html = await (await fetch(`${server.url}/submissions`)).text();
  const [, older = ''] = /<a href="([^"]+)"[^>]*>Older submissions</.exec(html) ?? [];
  const next = await (await fetch(server.url + older.replaceAll('&amp;', '&'))).text();
  expect([...next.matchAll(/<a href="\/submissions\/(sub_\w+)"/g)].map(([, id]) => id)).toEqual(
    submitted.slice(0, 2).toReversed(),
  );
  expect(next).not.toContain('Older submissions');
  expect(next).toContain('href="/submissions"');
});

test('marks a retracted submission, and reports an unknown account or cursor', async () => {
  const id = submitted[25] ?? '';
  const retracted = await fetch(`${server.url}/v1/submissions/${id}/retract`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'wrong GPU' }),
  });
  expect(await retracted.text()).toContain('wrong GPU');
  expect(await textOf('/submissions')).toContain('Retracted');
  expect(await textOf('/submissions?account=nobody')).toMatch(/nobody/);
  expect((await fetch(`${server.url}/submissions?cursor=x`)).status).toBe(422);
});
