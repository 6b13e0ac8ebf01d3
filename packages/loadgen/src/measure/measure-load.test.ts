import { describe, expect, test } from 'vitest';
import { withFakeServer as withServer } from '../fake-server/testing/with-fake-server.ts';
import { startRawServer } from '../wire/testing/raw-server.ts';
import { measureLoad, UnreachableError } from './measure-load.ts';
import type { LoadPlan } from './plan.ts';
import { bodyOf, countOutcomes, usualLimits as limits, planFor } from './testing/plans.ts';

// Each test starts a thread, which is slow on a busy machine.
describe('threads', () => {
  const due_ms = Float64Array.from({ length: 30 }, (_, place) => 10 * place);

  test('share a closed loop', async () => {
    const record = await withServer({ ttftMs: 20, itlMs: 2 }, (port) =>
      measureLoad(planFor(port, 24, { threads: 2, pace: { mode: 'closed', concurrency: 5 } })),
    );
    expect(countOutcomes(record)).toEqual({ ok: 24 });
    expect(record.requests.map(({ index }) => index)).toEqual(Array.from({ length: 24 }, (_, index) => index));
    expect(record.requests.every(({ chunk_count, output_tokens }) => chunk_count === 12 && output_tokens === 12)).toBe(
      true,
    );
    expect(record.self).toMatchObject({ threads: 2, connections_opened: 5 });
  });

  test('share a schedule', async () => {
    const record = await withServer({ ttftMs: 20, itlMs: 1 }, (port) =>
      measureLoad(planFor(port, 30, { threads: 2, pace: { mode: 'open', due_ms, maxInFlight: null } })),
    );
    expect(countOutcomes(record)).toEqual({ ok: 30 });
    expect(record.requests.map((request) => request.due_ms)).toEqual(Array.from(due_ms));
  });
});

describe('a cancelled run', () => {
  test('cancels running requests, and keeps what was measured', async () => {
    const abort = new AbortController();
    await withServer({ ttftMs: 5, itlMs: 20, forcedTokens: 5000 }, async (port) => {
      const seen: number[] = [];
      const record = await measureLoad(planFor(port, 100), {
        signal: abort.signal,
        onProgress: ({ in_flight }) => {
          seen.push(in_flight);
          if (seen.filter((count) => count === 8).length === 3) abort.abort();
        },
      });
      expect(countOutcomes(record)).toEqual({ cancelled: 8 });
      expect(record.requests[0]?.chunk_count).toBeGreaterThan(0);
      expect(record.requests[0]?.chunk_count).toBeLessThan(5000);
      expect(seen.at(-1)).toBe(0);
    });
  });

  test('before its start has no requests', async () => {
    const record = await withServer({}, (port) => measureLoad(planFor(port, 5), { signal: AbortSignal.abort() }));
    expect(record).toMatchObject({ requests: [], duration_ms: 0, self: { threads: 0, client_limited: false } });
  });
});

test('sends the API key, and does not report the warm-up', async () => {
  const record = await withServer({ apiKey: 'k3y' }, (port) =>
    measureLoad({ ...planFor(port, 2), warmsUp: true, headers: { Authorization: 'Bearer k3y' } }),
  );
  expect(countOutcomes(record)).toEqual({ ok: 2 });
});

test('throws UnreachableError for an unreachable server', async () => {
  const server = await startRawServer(() => undefined);
  await server.close();
  await expect(measureLoad({ ...planFor(0, 2), connect: server.connect })).rejects.toThrow(UnreachableError);
});

test.each<[string, Partial<LoadPlan>]>([
  ['no requests', { bodies: [] }],
  ['no concurrency', { pace: { mode: 'closed', concurrency: 0 } }],
  ['decreasing due times', { pace: { mode: 'open', due_ms: Float64Array.of(5, 4), maxInFlight: null } }],
  ['more due times than bodies', { pace: { mode: 'open', due_ms: new Float64Array(3), maxInFlight: null } }],
  ['no timeout', { limits: { ...limits, request_timeout_ms: 0 } }],
  ['threads of NaN', { threads: Number.NaN }],
])('rejects a plan with %s', async (_what, over) => {
  const plan = { ...planFor(1, 1), bodies: [bodyOf(1), bodyOf(1)], ...over };
  await expect(measureLoad(plan)).rejects.toThrow(RangeError);
});
