import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nothingRecorded, type RequestRecord } from '../records.ts';
import { createRandom } from '../testing/random.ts';
import { isSameSequence, matchSequences, requestSequence, sequenceLeast, sequenceMost } from './sequence.ts';

const request = (ttftMs: number, e2eMs: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  ...nothingRecorded,
  ttftMs,
  e2eMs,
  ...more,
});
const latencies = fc.array(
  fc.tuple(fc.double({ min: 5, max: 5000, noNaN: true }), fc.double({ min: 1, max: 1e5, noNaN: true })),
  {
    minLength: sequenceLeast,
    maxLength: 100,
  },
);
/** Latencies whose TTFT scatters enough to identify the run. */
const telling = latencies.filter((pairs) => requestSequence(runOf(pairs)) !== null);
const runOf = (pairs: [number, number][]) => pairs.map(([ttft, more]) => request(ttft, ttft + more));
const sequenceOf = (requests: RequestRecord[]) => requestSequence(requests) ?? expect.unreachable();

describe('the sequence of a run', () => {
  test('needs twenty successful requests with both latencies', () => {
    const twenty = Array.from({ length: 20 }, (_, i) => request(10 + i, 100 + i));
    expect(requestSequence(twenty)).toHaveLength(20);
    expect(requestSequence(twenty.slice(1))).toBeNull();
    expect(requestSequence([...twenty.slice(1), request(1, 2, { error: 'timeout' })])).toBeNull();
    expect(requestSequence([...twenty, request(1, 2, { ttftMs: null })])).toBeNull();
    // The gaps also determine the end.
    expect(requestSequence([...twenty, request(1, 0, { e2eMs: null, gapsMs: [2, 3] })])?.at(-1)).toEqual([1, 6]);
  });

  test('is sorted by send time if known, and has a maximum length', () => {
    const many = Array.from({ length: 200 }, (_, i) => request(10 + i, 1000 + i, { sentS: 200 - i }));
    const sequence = sequenceOf(many);
    expect(sequence).toHaveLength(sequenceMost);
    expect(sequence[0]).toEqual([209, 1199]);
  });

  test('is null if TTFT varies no more than between two runs of one sequence', () => {
    const ttft = fc.double({ min: 5, max: 5000, noNaN: true });
    const shifts = fc.array(fc.double({ min: 0.9955, max: 1, noNaN: true }), { minLength: 20, maxLength: 100 });
    fc.assert(
      fc.property(ttft, shifts, (ms, each) => {
        expect(requestSequence(each.map((shift, i) => request(ms * shift, 2 * ms + i)))).toBeNull();
      }),
    );
    // One additional slow request does not make an even run identifiable.
    const even = Array.from({ length: 20 }, () => request(100, 500));
    expect(requestSequence([request(9000, 9500), ...even])).toBeNull();
    const half = Array.from({ length: 20 }, (_, i) => request(i < 10 ? 100 : 110 + i, 500));
    expect(requestSequence(half)).toHaveLength(20);
  });
});

describe('two sequences', () => {
  test('match if every latency differs by less than 1 %', () => {
    const shift = fc.double({ min: 0.9905, max: 1, noNaN: true });
    fc.assert(
      fc.property(telling, fc.array(shift, { minLength: 100, maxLength: 100 }), (pairs, shifts) => {
        const run = runOf(pairs);
        const shifted = run.map(({ ttftMs, e2eMs }, i) => {
          const by = shifts[i] ?? 1;
          return request((ttftMs ?? 0) * by, (e2eMs ?? 0) * by);
        });
        // A sequence that is barely identifiable may become too even after the shift.
        fc.pre(requestSequence(shifted) !== null);
        expect(isSameSequence(sequenceOf(run), sequenceOf(shifted))).toBe(true);
        expect(isSameSequence(sequenceOf(shifted), sequenceOf(run))).toBe(true);
      }),
    );
  });

  test('differ if one latency of one request differs more, or one request is missing', () => {
    fc.assert(
      fc.property(telling, fc.nat(), fc.boolean(), (pairs, at, isTtft) => {
        const run = runOf(pairs);
        const place = at % Math.min(run.length, sequenceMost);
        const other = run.map((one, i) => {
          if (i !== place) return one;
          return isTtft ? { ...one, ttftMs: (one.ttftMs ?? 0) * 1.02 } : { ...one, e2eMs: (one.e2eMs ?? 0) * 1.02 };
        });
        expect(isSameSequence(sequenceOf(run), sequenceOf(other))).toBe(false);
      }),
    );
    const run = Array.from({ length: 30 }, (_, i) => request(10 + i, 100 + i));
    expect(isSameSequence(sequenceOf(run), sequenceOf(run.slice(0, -1)))).toBe(false);
  });

  const scaledBy = (pairs: [number, number][], to: (ms: number) => number) =>
    sequenceOf(runOf(pairs).map(({ ttftMs, e2eMs }) => request(to(ttftMs ?? 0), to(e2eMs ?? 0))));
  const scattered: [number, number][] = Array.from({ length: 30 }, (_, i) => [
    80 + ((i * 37) % 90),
    700 + ((i * 53) % 400),
  ]);

  test.each([0.9, 0.95, 0.98, 1.05, 1.1])('match if all latencies are multiplied by %d', (factor) => {
    fc.assert(
      fc.property(telling, (pairs) => {
        fc.pre(requestSequence(runOf(pairs.map(([a, b]) => [a * factor, b * factor]))) !== null);
        const match = matchSequences(
          sequenceOf(runOf(pairs)),
          scaledBy(pairs, (ms) => ms * factor),
        );
        expect(match?.factor).toBeCloseTo(factor, 3);
      }),
    );
  });

  test('match if the same time is added to all latencies', () => {
    const shifted = scaledBy(scattered, (ms) => ms + 25);
    expect(matchSequences(sequenceOf(runOf(scattered)), shifted)).toMatchObject({ factor: 1, shiftMs: 25 });
  });

  test('differ if the factor is more than 10 %', () => {
    expect(
      isSameSequence(
        sequenceOf(runOf(scattered)),
        scaledBy(scattered, (ms) => ms * 0.85),
      ),
    ).toBe(false);
  });

  // Sequential requests arrive at an even pace; a system that is 5 % slower has the same pattern.
  test('differ for honest runs with the same pattern, on a slower system or with more network latency', () => {
    const random = createRandom(5);
    const normal = () => Math.sqrt(2 * random.exponential()) * Math.cos(2 * Math.PI * random.next());
    for (let i = 0; i < 500; i++) {
      const measured = (slower: number, wireMs: number) =>
        sequenceOf(
          Array.from({ length: 20 }, (_, place) => {
            const ttft = 30 * (place + 1) * slower * (1 + 0.002 * normal()) + wireMs;
            return request(ttft, ttft + 800 * slower * (1 + 0.002 * normal()));
          }),
        );
      expect(isSameSequence(measured(1, 0), measured(1.05, 0))).toBe(false);
      expect(isSameSequence(measured(1, 0), measured(1, 25))).toBe(false);
    }
  });
});
