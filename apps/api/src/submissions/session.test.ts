import { beforeAll, expect, test } from 'vitest';
import { answerOf, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let [key, other] = ['', ''];
beforeAll(async () => {
  key = await app.createAccount('compares two servers');
  other = await app.createAccount('uses the same id');
});

/** A block of a session, as `measure --against` sends it. */
const block = (server: 'a' | 'b', repetition: number, tpot: number, more: Record<string, unknown> = {}) =>
  `${JSON.stringify({
    schema: 'inferboard/v1',
    tool: { name: 'inferboard-loadgen', version: '0.1.0' },
    system: {
      ...{ model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1 },
      engine: { name: 'vllm', version: server === 'a' ? '0.11.0' : '0.12.0' },
    },
    scenario: 'chatbot',
    results: [
      {
        load: { mode: 'concurrency', level: 8 },
        ...{ repetition, metrics: { tpot_ms_mean: tpot, output_tok_s: 8000 / tpot + repetition } },
        generator: { session: { id: 'session-1', server }, ...more },
      },
    ],
  })}\n`;

const blocksOf = (server: 'a' | 'b', tpots: readonly number[]) =>
  tpots.map((tpot, at) => block(server, at + 1, tpot)).join('');

interface Session {
  id: string;
  confidence: number;
  servers: { server: string; system: { id: string; label: string } }[];
  submissions: { id: string }[];
  loads: {
    scenario: string;
    load: { mode: string; level: number };
    ratios: {
      figure: string;
      ratio: number;
      interval: { low: number; high: number };
      blocks: number;
      differs: boolean;
    }[];
  }[];
}

test('the parts of a session are linked, and each has the paired comparison of both servers', async () => {
  const a = await answerOf(await app.submit(blocksOf('a', [10, 10.4, 9.8, 10.1]), {}, key));
  expect(a).toMatchObject({ session_id: 'session-1' });
  const alone = await app.get<Session>(`/v1/submissions/${a.id}/session`);
  expect(alone).toMatchObject({ servers: [{ server: 'a' }], submissions: [{ id: a.id }], loads: [{ ratios: [] }] });

  const b = await answerOf(await app.submit(blocksOf('b', [11, 11.5, 10.7, 11.2]), {}, key));
  // Ids are drawn by clients: another account's session is another one.
  await app.submit(blocksOf('b', [90, 90, 90, 90]), {}, other);
  for (const id of [a.id, b.id]) {
    const session = await app.get<Session>(`/v1/submissions/${id}/session`);
    expect(session).toMatchObject({ id: 'session-1', confidence: 0.99, submissions: [{ id: a.id }, { id: b.id }] });
    expect(session.servers.map(({ server, system }) => [server, /0\.1\d\.0/.exec(system.label)?.[0]])).toEqual([
      ['a', '0.11.0'],
      ['b', '0.12.0'],
    ]);
    const [load, ...loads] = session.loads;
    expect(loads).toEqual([]);
    expect(load).toMatchObject({ scenario: 'chatbot', load: { mode: 'concurrency', level: 8 } });
    const tpot = load?.ratios.find(({ figure }) => figure === 'tpot_ms_mean');
    expect(tpot).toMatchObject({ blocks: 4, differs: true });
    expect(tpot?.ratio).toBeCloseTo(1.1015, 3);
    expect(tpot?.interval.low).toBeGreaterThan(1.07);
    expect(tpot?.interval.high).toBeLessThan(1.13);
  }
});

test('incomplete blocks and retracted parts are excluded', async () => {
  const cut = { cut_short: { reason: 'canceled', planned_requests: 64 } };
  const lines = [block('a', 1, 10), block('b', 1, 20), block('a', 2, 10), block('b', 2, 20, cut)].join('');
  const stored = await answerOf(await app.submit(lines.replaceAll('session-1', 'session-2'), {}, key));
  const path = `/v1/submissions/${stored.id}/session`;
  expect((await app.get<Session>(path)).loads).toMatchObject([{ ratios: [] }]);
  const more = [3, 4].flatMap((at) => [block('a', at, 10 + at), block('b', at, 20 + at)]).join('');
  const part = await answerOf(await app.submit(more.replaceAll('session-1', 'session-2'), {}, key));
  expect((await app.get<Session>(path)).loads[0]?.ratios[0]).toMatchObject({ figure: 'tpot_ms_mean', blocks: 3 });
  const retracted = await app.request(`/v1/submissions/${part.id}/retract`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'a test' }),
  });
  expect(retracted.status).toBe(200);
  expect(await app.get<Session>(path)).toMatchObject({ submissions: [{ id: stored.id }], loads: [{ ratios: [] }] });
});

test('a submission without a session has none', async () => {
  const plain = block('a', 1, 12).replace(/,"generator":\{"session":\{[^}]*\}\}/, '');
  const stored = await answerOf(await app.submit(plain, {}, other));
  expect(stored).toMatchObject({ session_id: null });
  expect(await app.get<Session>(`/v1/submissions/${stored.id}/session`)).toEqual({
    ...{ id: null, confidence: 0.99 },
    ...{ servers: [], submissions: [], loads: [] },
  });
  for (const id of ['nonsense', `sub_${'0'.repeat(32)}`])
    expect((await app.request(`/v1/submissions/${id}/session`)).status, String(id)).toBe(404);
});
