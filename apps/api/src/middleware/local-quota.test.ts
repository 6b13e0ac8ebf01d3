import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalQuota } from './local-quota.ts';

const ten = { name: 'test', quota: 10, windowS: 60 };

describe('an in-memory quota', () => {
  it('is consumed, reported and refilled gradually', () => {
    let now = 5000;
    const { take } = createLocalQuota(ten, () => now);
    expect(take('one', 9)).toEqual({ isAllowed: true, remaining: 1, resetS: 54 });
    expect(take('one', 2)).toEqual({ isAllowed: false, remaining: 1, resetS: 6 });
    expect(take('one', 1)).toEqual({ isAllowed: true, remaining: 0, resetS: 60 });
    expect(take('one', 1)).toEqual({ isAllowed: false, remaining: 0, resetS: 6 });
    now += 5999;
    expect(take('one', 1).isAllowed).toBe(false);
    now += 1;
    expect(take('one', 1)).toMatchObject({ isAllowed: true, remaining: 0 });
    now += 1e9;
    expect(take('one', 1)).toEqual({ isAllowed: true, remaining: 9, resetS: 6 });
    expect(take('another', 1)).toMatchObject({ isAllowed: true, remaining: 9 });
  });

  it('accepts a request above the whole quota if the quota is unused', () => {
    const { take } = createLocalQuota(ten, () => 0);
    expect(take('one', 1000)).toMatchObject({ isAllowed: true, remaining: 0 });
    expect(take('one', 1000)).toEqual({ isAllowed: false, remaining: 0, resetS: 60 });
  });

  it('removes the least recently seen clients', () => {
    const { take } = createLocalQuota(ten, () => 0, 4);
    for (const caller of ['a', 'b', 'a', 'c']) take(caller, 4);
    expect(take('a', 0).remaining).toBe(2);
    expect(take('c', 0).remaining).toBe(6);
    expect(take('b', 0).remaining).toBe(10);
  });

  it('keeps clients that are rejected repeatedly', () => {
    const { take, refusal } = createLocalQuota(ten, () => 0, 4);
    take('a', 10);
    for (const caller of ['b', 'c', 'd', 'e']) {
      expect(refusal('a', 1)?.isAllowed).toBe(false);
      take(caller, 1);
    }
    expect(take('a', 1).isAllowed).toBe(false);
  });

  it('takes constant time for many clients', () => {
    const { take } = createLocalQuota(ten, () => 0, 10_000);
    const before = process.threadCpuUsage();
    for (let i = 0; i < 200_000; i++) take(`caller ${i % 20_000}`, 1);
    // About 0.1 s of CPU in this thread; several tens of seconds if each call searches for the oldest entry.
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(10_000);
  });

  it('never accepts more than the quota and its refill, and its stated wait is correct', () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat(20_000), cost: fc.integer({ min: 1, max: 12 }) }));
    fc.assert(
      fc.property(steps, (asked) => {
        let now = 0;
        let taken = 0;
        const { take, refusal } = createLocalQuota(ten, () => now);
        for (const { waitMs, cost } of asked) {
          now += waitMs;
          const refused = refusal('one', cost);
          const answer = take('one', cost);
          expect(refused).toEqual(answer.isAllowed ? null : answer);
          const { isAllowed, resetS } = answer;
          if (isAllowed) taken += Math.min(cost, 10);
          else {
            now += resetS * 1000;
            expect(take('one', cost).isAllowed).toBe(true);
            taken += Math.min(cost, 10);
          }
          expect(taken).toBeLessThanOrEqual(10 + now / 6000 + 1e-6);
        }
      }),
    );
  });
});
