import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rateSchedule } from './arrivals.ts';
import { burst, closedLoop, closedLoopStarts, pacerOf } from './pacer.ts';

test('a closed loop starts all users immediately', () => {
  expect([...closedLoop(4, 100).firstWaveMs]).toEqual([0, 0, 0, 0]);
  expect([...closedLoop(8, 3).firstWaveMs]).toEqual([0, 0, 0]);
});

test('a staggered first wave is spread evenly', () => {
  expect([...closedLoop(4, 100, { staggerMs: 200 }).firstWaveMs]).toEqual([0, 50, 100, 150]);
});

// One additional request in flight would be a different point.
test('a closed loop never exceeds its level, keeps all users busy and sends all requests', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 300 }),
      (level, requests, endings) => {
        const pacer = closedLoop(level, requests);
        let [started, ended] = [pacer.firstWaveMs.length, 0];
        for (const ending of [...endings, ...new Array<number>(requests).fill(1)]) {
          ended += Math.min(ending, started - ended);
          started += closedLoopStarts(pacer, { started, ended });
          expect(started - ended).toBeLessThanOrEqual(level);
          expect(started - ended).toBe(Math.min(level, requests - ended));
        }
        expect(started).toBe(requests);
      },
    ),
  );
});

test('a burst is due immediately', () => {
  expect(burst(3)).toEqual({ kind: 'open', requests: 3, dueMs: new Float64Array(3), inFlightMax: null });
});

test('each load has a pacer', () => {
  const of = { requests: 6, seed: 9 };
  expect(pacerOf({ mode: 'concurrency', level: 2 }, of)).toMatchObject({ kind: 'closed', inFlight: 2, requests: 6 });
  for (const mode of ['burst', 'batch'] as const)
    expect(pacerOf({ mode, level: 6 }, of)).toMatchObject({ kind: 'open', dueMs: new Float64Array(6) });
  expect(pacerOf({ mode: 'rate', level: 50, maxConcurrency: 8 }, of)).toEqual({
    kind: 'open',
    requests: 6,
    dueMs: rateSchedule(50, 6, { burstiness: 1, seed: 9 }),
    inFlightMax: 8,
  });
  expect(pacerOf({ mode: 'rate', level: 50, burstiness: 4 }, of)).toMatchObject({
    dueMs: rateSchedule(50, 6, { burstiness: 4, seed: 9 }),
  });
});

test.each([
  ['a fractional number of users', () => closedLoop(0.5, 1)],
  ['no requests', () => closedLoop(1, 0)],
  ['a negative stagger', () => closedLoop(1, 1, { staggerMs: -1 })],
  ['an empty burst', () => burst(0)],
  ['a cap of 0', () => pacerOf({ mode: 'rate', level: 1, maxConcurrency: 0 }, { requests: 1, seed: 1 })],
])('%s is rejected', (_title, make) => {
  expect(make).toThrow(RangeError);
});
