import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadPlan } from '../plan.ts';
import { bodyOf, planFor } from '../testing/plans.ts';
import { bytesOfPlan, sharePlan, shareRows, sharesMax } from './divide.ts';

const bodiesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => bodyOf(12, { user: `request ${index}` }));

const closed = fc
  .record({ requests: fc.integer({ min: 1, max: 200 }), concurrency: fc.integer({ min: 1, max: 64 }) })
  .map(({ requests, concurrency }) =>
    planFor(1, requests, { bodies: bodiesOf(requests), pace: { mode: 'closed', concurrency } }),
  );

const open = fc
  .record({
    gaps: fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 200 }),
    maxInFlight: fc.option(fc.integer({ min: 1, max: 64 })),
    spare: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ gaps, maxInFlight, spare }) => {
    let at = 0;
    const due_ms = Float64Array.from(gaps, (gap) => (at += gap));
    return planFor(1, 1, { bodies: bodiesOf(gaps.length + spare), pace: { mode: 'open', due_ms, maxInFlight } });
  });

const divided = fc.tuple(fc.oneof(closed, open), fc.integer({ min: 1, max: 8 })).map(([plan, wanted]) => {
  const shares = Math.min(wanted, sharesMax(plan));
  return { plan, parts: Array.from({ length: shares }, (_, share) => sharePlan(plan, share, shares)) };
});

const inFlightOf = ({ pace }: LoadPlan) => (pace.mode === 'closed' ? pace.concurrency : pace.maxInFlight);

describe('the shares of a plan', () => {
  test('have each request once, and at least one each', () => {
    fc.assert(
      fc.property(divided, ({ plan, parts }) => {
        const requests = plan.pace.mode === 'closed' ? plan.bodies.length : plan.pace.due_ms.length;
        const bodies = parts.flatMap((part) => part.bodies);
        expect(bodies.toSorted()).toEqual(plan.bodies.slice(0, requests).toSorted());
        expect(parts.every((part) => part.bodies.length > 0)).toBe(true);
      }),
    );
  });

  test('have the due times of the plan, and together its requests in flight', () => {
    fc.assert(
      fc.property(divided, ({ plan, parts }) => {
        const limits = parts.map(inFlightOf);
        const sum = limits.includes(null) ? null : limits.reduce((total: number, limit) => total + (limit ?? 0), 0);
        expect(sum).toBe(inFlightOf(plan));
        if (plan.pace.mode !== 'open') return;
        for (const [share, part] of parts.entries()) {
          const { due_ms } = plan.pace;
          const rows = shareRows(plan, share, parts.length);
          expect(part.pace).toMatchObject({ due_ms: Float64Array.from(rows, (row) => due_ms[row] ?? 0) });
        }
      }),
    );
  });

  test('are as large as their users', () => {
    const plan = planFor(1, 30, { pace: { mode: 'closed', concurrency: 3 } });
    const parts = [0, 1].map((share) => sharePlan(plan, share, 2));
    expect(parts.map((part) => [inFlightOf(part), part.bodies.length])).toEqual([
      [2, 20],
      [1, 10],
    ]);
  });
});

test.each<[string, Partial<LoadPlan>, RegExp]>([
  ['conversations', { turns: { first: Uint32Array.of(0, 4) } as never }, /conversations/],
  ['a limit of tokens', { limits: { ...planFor(1, 1).limits, outputTokens: 100 } }, /output tokens/],
  ['a staggered start', { pace: { mode: 'closed', concurrency: 2, stagger_ms: 10 } }, /staggered/],
  ['one user', { pace: { mode: 'closed', concurrency: 1 } }, /fewer than 2/],
])('rejects a plan with %s', (_what, over, message) => {
  expect(() => sharePlan(planFor(1, 4, over), 0, 2)).toThrow(message);
});

test('estimates the bytes of requests and of the times of their chunks', () => {
  const plan = planFor(1, 1, { bodies: [bodyOf(100)] });
  expect(bytesOfPlan(plan)).toBe(bodyOf(100).length + 800);
});
