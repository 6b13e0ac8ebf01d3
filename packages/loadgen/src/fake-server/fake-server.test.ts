import { describe, expect, test } from 'vitest';
import { parseOptions, usualOptions } from './options.ts';
import { Slots } from './slots.ts';
import { withFakeServer } from './testing/with-fake-server.ts';

const ask = (port: number, path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
const post = (port: number, path: string, body: object) =>
  ask(port, path, { method: 'POST', body: JSON.stringify(body) });

/** The JSON of every event except [DONE]. */
function eventsIn(text: string): { choices: { delta?: { content?: string }; text?: string }[]; usage?: object }[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

describe('the fake server', () => {
  test('lists its model and serves the ownership token', async () => {
    await withFakeServer({ model: 'm', proofToken: 't0ken', apiKey: 'k' }, async (port) => {
      expect((await ask(port, '/v1/models')).status).toBe(401);
      const models = await ask(port, '/v1/models', { headers: { authorization: 'Bearer k' } });
      expect(await models.json()).toMatchObject({ data: [{ id: 'm' }] });
      expect(await (await ask(port, usualOptions.proofPath)).text()).toBe('t0ken');
      expect((await ask(port, '/nothing', { headers: { authorization: 'Bearer k' } })).status).toBe(404);
    });
  });

  test('marks every response as simulated, including errors and broken ones', async () => {
    const said = async (answer: Promise<Response>) => (await answer).headers.get('inferboard-simulated');
    const options = {
      apiKey: 'k',
      proofToken: 't',
      ttftMs: 1,
      itlMs: 1,
      fault: { kind: 'status_500', every: 2, at: 0 } as const,
    };
    await withFakeServer(options, async (port) => {
      const headers = { authorization: 'Bearer k' };
      const asked = { method: 'POST', headers, body: JSON.stringify({ prompt: 'Hi', stream: true, max_tokens: 2 }) };
      const answers = [
        ask(port, '/v1/models'),
        ask(port, '/v1/models', { headers }),
        ask(port, '/health'),
        ask(port, usualOptions.proofPath),
        ask(port, '/nothing', { headers }),
        ask(port, '/v1/completions', asked),
        ask(port, '/v1/completions', asked),
        ask(port, '/v1/completions', { ...asked, body: 'x' }),
      ];
      expect(await Promise.all(answers.map(said))).toEqual(answers.map(() => 'true'));
    });
    await withFakeServer({}, async (port) => expect(await said(ask(port, '/v1/models'))).toBeNull(), {
      isSilent: true,
    });
    // The command has no such option.
    expect(() => parseOptions(['--is-silent'])).toThrow(TypeError);
  });

  test('serves no ownership token by default', async () => {
    await withFakeServer({}, async (port) => expect((await ask(port, usualOptions.proofPath)).status).toBe(404));
  });

  test.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['/v1/completions', { prompt: 'Hi' }],
  ])('streams %s with the requested number of tokens', async (path, body) => {
    await withFakeServer({ ttftMs: 1, itlMs: 1 }, async (port) => {
      const asked = { ...body, stream: true, max_tokens: 5, stream_options: { include_usage: true } };
      const text = await (await post(port, path, asked)).text();
      const events = eventsIn(text);
      expect(events.filter(({ choices: [choice] }) => choice?.delta?.content || choice?.text)).toHaveLength(5);
      expect(events.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
      expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    });
  });

  test('answers without a stream if none is requested, and rejects invalid JSON', async () => {
    await withFakeServer({}, async (port) => {
      const whole = await post(port, '/v1/chat/completions', { messages: [], max_tokens: 3 });
      expect(await whole.json()).toMatchObject({ usage: { completion_tokens: 3 } });
      expect((await ask(port, '/v1/completions', { method: 'POST', body: 'x' })).status).toBe(400);
    });
  });

  test('queues requests beyond its slots, which delays the first token', async () => {
    await withFakeServer({ ttftMs: 40, itlMs: 1, slots: 1 }, async (port) => {
      const times: number[] = [];
      const began = performance.now();
      const one = async () => {
        await (await post(port, '/v1/completions', { prompt: 'x', stream: true, max_tokens: 2 })).text();
        times.push(performance.now() - began);
      };
      await Promise.all([one(), one(), one()]);
      expect(times[2]).toBeGreaterThan(3 * 40);
    });
  });
});

test('gives slots in order, and skips requests that left the queue', () => {
  const slots = new Slots(1);
  const begun: string[] = [];
  const first = slots.take(() => begun.push('first'));
  const second = slots.take(() => begun.push('second'));
  slots.take(() => begun.push('third'));
  second.release();
  expect(begun).toEqual(['first']);
  first.release();
  first.release();
  expect(begun).toEqual(['first', 'third']);
  expect(slots.taken).toBe(1);
});

describe('options', () => {
  test('are parsed from flags', () => {
    expect(parseOptions(['--ttft-ms', '20', '--no-space', '--role', 'head', '--fault', 'stall:4:2'])).toEqual({
      ...usualOptions,
      ttftMs: 20,
      noSpace: true,
      role: 'head',
      fault: { kind: 'stall', every: 4, at: 2 },
    });
  });

  test.each([
    ['--ttft-ms', 'x'],
    ['--role', 'king'],
    ['--fault', 'fire'],
    ['--unknown', '1'],
  ])('%s %s is rejected', (...args) => {
    expect(() => parseOptions(args)).toThrow(TypeError);
  });
});
