import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nothingRecorded, type RequestRecord } from '../records.ts';
import { isSameSequence, requestSequence, sequenceLeast, sequenceMost } from './sequence.ts';

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
/** Latencies whose first tokens scatter enough for the run to be known again. */
const telling = latencies.filter((pairs) => requestSequence(runOf(pairs)) !== null);
const runOf = (pairs: [number, number][]) => pairs.map(([ttft, more]) => request(ttft, ttft + more));
const sequenceOf = (requests: RequestRecord[]) => requestSequence(requests) ?? expect.unreachable();

describe('the sequence of a run', () => {
  test('needs twenty requests that succeeded, with both latencies', () => {
    const twenty = Array.from({ length: 20 }, (_, i) => request(10 + i, 100 + i));
    expect(requestSequence(twenty)).toHaveLength(20);
    expect(requestSequence(twenty.slice(1))).toBeNull();
    expect(requestSequence([...twenty.slice(1), request(1, 2, { error: 'timeout' })])).toBeNull();
    expect(requestSequence([...twenty, request(1, 2, { ttftMs: null })])).toBeNull();
    // The gaps tell the end as well.
    expect(requestSequence([...twenty, request(1, 0, { e2eMs: null, gapsMs: [2, 3] })])?.at(-1)).toEqual([1, 6]);
  });

  test('is in the order of sending where that is known, and of a bounded number', () => {
    const many = Array.from({ length: 200 }, (_, i) => request(10 + i, 1000 + i, { sentS: 200 - i }));
    const sequence = sequenceOf(many);
    expect(sequence).toHaveLength(sequenceMost);
    expect(sequence[0]).toEqual([209, 1199]);
  });

  test('tells nothing where first tokens scatter by no more than two runs of one sequence may', () => {
    const ttft = fc.double({ min: 5, max: 5000, noNaN: true });
    const shifts = fc.array(fc.double({ min: 0.9955, max: 1, noNaN: true }), { minLength: 20, maxLength: 100 });
    fc.assert(
      fc.property(ttft, shifts, (ms, each) => {
        expect(requestSequence(each.map((shift, i) => request(ms * shift, 2 * ms + i)))).toBeNull();
      }),
    );
    // One slow request more does not make a run that is otherwise even one to be known by.
    const even = Array.from({ length: 20 }, () => request(100, 500));
    expect(requestSequence([request(9000, 9500), ...even])).toBeNull();
    const half = Array.from({ length: 20 }, (_, i) => request(i < 10 ? 100 : 110 + i, 500));
    expect(requestSequence(half)).toHaveLength(20);
  });
});

describe('two sequences', () => {
  test('are the same where every latency was shifted by less than a hundredth', () => {
    const shift = fc.double({ min: 0.9905, max: 1, noNaN: true });
    fc.assert(
      fc.property(telling, fc.array(shift, { minLength: 100, maxLength: 100 }), (pairs, shifts) => {
        const run = runOf(pairs);
        const shifted = run.map(({ ttftMs, e2eMs }, i) => {
          const by = shifts[i] ?? 1;
          return request((ttftMs ?? 0) * by, (e2eMs ?? 0) * by);
        });
        // One that barely told runs apart may be too even once it was shifted.
        fc.pre(requestSequence(shifted) !== null);
        expect(isSameSequence(sequenceOf(run), sequenceOf(shifted))).toBe(true);
        expect(isSameSequence(sequenceOf(shifted), sequenceOf(run))).toBe(true);
      }),
    );
  });

  test('differ where one latency of one request is further off, or one request is missing', () => {
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
});
