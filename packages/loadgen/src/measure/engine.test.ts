import { describe, expect, test } from 'vitest';
import { withFakeServer as withServer } from '../fake-server/testing/with-fake-server.ts';
import { summariseLoad } from './records/summarise-load.ts';
import { measureHere } from './testing/measure-here.ts';
import { countOutcomes, usualLimits as limits, planFor } from './testing/plans.ts';

describe('a closed loop', () => {
  test('keeps the configured number in flight', async () => {
    const record = await withServer({ ttftMs: 60, itlMs: 1 }, (port) =>
      measureHere(planFor(port, 12, { pace: { mode: 'closed', concurrency: 3 } })),
    );
    expect(countOutcomes(record)).toEqual({ ok: 12 });
    const starts = record.requests.map(({ started_ms }) => started_ms).sort((a, b) => a - b);
    const ends = record.requests.map(({ closed_ms }) => closed_ms).sort((a, b) => a - b);
    // The fourth request starts when the first ends, and so on.
    for (let at = 3; at < 12; at++) expect(starts[at]).toBeGreaterThanOrEqual(ends[at - 3] ?? 0);
    expect(record.requests.every(({ due_ms }) => due_ms === null)).toBe(true);
    expect(record.self.connections_opened).toBe(3);
    expect(summariseLoad(record).arrival).toBeNull();
  });

  test('can start its users one after another', async () => {
    const record = await withServer({ ttftMs: 400, itlMs: 1 }, (port) =>
      measureHere(planFor(port, 4, { pace: { mode: 'closed', concurrency: 4, stagger_ms: 60 } })),
    );
    const starts = record.requests.map(({ started_ms }) => started_ms).sort((a, b) => a - b);
    for (const [place, at] of starts.entries()) expect(at).toBeGreaterThan(60 * place - 2);
  });
});

test('records that an endpoint declares itself simulated', async () => {
  const measure = (isSilent: boolean) =>
    withServer({ ttftMs: 5, itlMs: 1 }, (port) => measureHere(planFor(port, 2)), { isSilent });
  expect((await measure(false)).simulated).toBe(true);
  expect((await measure(true)).simulated).toBe(false);
});

describe('an open loop', () => {
  const due_ms = Float64Array.from({ length: 30 }, (_, place) => 10 * place);

  test.each(['hybrid', 'plain'] as const)('sends when a request is due, with the %s timer', async (timer) => {
    const record = await withServer({ ttftMs: 100, itlMs: 1 }, (port) =>
      measureHere(planFor(port, 30, { pace: { mode: 'open', due_ms, maxInFlight: null, timer } })),
    );
    expect(countOutcomes(record)).toEqual({ ok: 30 });
    expect(record.requests.map((request) => request.due_ms)).toEqual(Array.from(due_ms));
    for (const { started_ms, due_ms: due } of record.requests) expect(started_ms).toBeGreaterThanOrEqual(due ?? 0);
    const { arrival, latencies } = summariseLoad(record);
    expect(arrival).toMatchObject({ dropped: 0 });
    expect(latencies.ttft_from_due?.mean).toBeGreaterThanOrEqual(latencies.ttft_from_sent?.mean ?? 0);
  });

  // 4 concurrent requests of 100 ms each allow 40 per second: most wait, and latencies must include the full wait.
  test('includes the wait for a cap only in latencies from the due time', async () => {
    const record = await withServer({ ttftMs: 90, itlMs: 1 }, (port) =>
      measureHere(planFor(port, 30, { pace: { mode: 'open', due_ms, maxInFlight: 4 } })),
    );
    expect(countOutcomes(record)).toEqual({ ok: 30 });
    const { latencies, arrival } = summariseLoad(record);
    expect(latencies.ttft_from_due?.max).toBeGreaterThan(300);
    expect(latencies.ttft_from_sent?.p50).toBeLessThan(latencies.ttft_from_due?.p50 ?? 0);
    expect(arrival).toMatchObject({ is_held: false, dropped: 0 });
    expect(record.self.connections_opened).toBeLessThanOrEqual(4);
  });

  test('drops requests that are due but cannot be sent before the end', async () => {
    const record = await withServer({ ttftMs: 1200, itlMs: 1 }, (port) =>
      measureHere(
        planFor(port, 30, {
          pace: { mode: 'open', due_ms: due_ms.map((at) => 3 * at), maxInFlight: 2 },
          limits: { ...limits, duration_ms: 450 },
        }),
      ),
    );
    // Sixteen requests are due within 450 ms. At most two are sent, and run to their end.
    const { ok = 0, ...others } = countOutcomes(record);
    expect(ok).toBeLessThanOrEqual(2);
    expect(others).toEqual({ dropped: 16 - ok });
    expect(summariseLoad(record).arrival).toMatchObject({ dropped: 16 - ok, is_held: false });
    expect(record.requests.at(-1)).toMatchObject({ outcome: 'dropped', due_ms: 450, started_ms: Number.NaN });
  });
});

describe('limits', () => {
  test('of time stop new requests, and let running ones finish', async () => {
    const record = await withServer({ ttftMs: 80, itlMs: 1 }, (port) =>
      measureHere(planFor(port, 500, { limits: { ...limits, duration_ms: 250 } })),
    );
    expect(record.requests.length).toBeLessThan(500);
    expect(countOutcomes(record)).toEqual({ ok: record.requests.length });
    // After the first eight, each request starts when another ends, if time is left.
    const ends = record.requests.map(({ closed_ms }) => closed_ms).sort((a, b) => a - b);
    for (const end of ends.slice(0, -8)) expect(end).toBeLessThan(250);
  });

  test('of tokens stop new requests once they are reached', async () => {
    const record = await withServer({ ttftMs: 5, itlMs: 1 }, (port) =>
      measureHere(
        planFor(port, 500, { pace: { mode: 'closed', concurrency: 2 }, limits: { ...limits, outputTokens: 60 } }),
      ),
    );
    // Sixty tokens are five requests. One more may be in flight.
    expect(record.requests.length).toBeGreaterThanOrEqual(5);
    expect(record.requests.length).toBeLessThanOrEqual(7);
  });

  test('of tokens cancel a response without an end', async () => {
    const record = await withServer({ ttftMs: 5, itlMs: 1, forcedTokens: 100_000 }, (port) =>
      measureHere(planFor(port, 2, { limits: { ...limits, outputTokens: 50 } })),
    );
    expect(countOutcomes(record)).toEqual({ cancelled: 2 });
    for (const { chunk_count } of record.requests) expect(chunk_count).toBeLessThan(100_000);
  });
});
