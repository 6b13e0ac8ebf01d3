import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLoad } from '../subjects/load.ts';
import { expandPlan, type RunPlan, remainingPoints, totalsOf } from './expand.ts';
import { planItem } from './items.ts';
import { findPlan, namedPlans } from './named-plans.ts';
import { itemKey, type PlanPoint, scenarioTitle } from './point.ts';
import { sizeFault } from './point-size.ts';
import { noLimits, type PlanLimits } from './scale.ts';

const run = (plan: RunPlan['plan'], part: Partial<RunPlan> = {}): RunPlan => ({
  ...{ plan, repetitions: null, warmup: null, seed: 1, limits: noLimits },
  ...part,
});
const limited = (plan: string, limits: Partial<PlanLimits>, part: Partial<RunPlan> = {}) =>
  expandPlan(run(plan, { ...part, limits: { ...noLimits, ...limits } }));
const requestsIn = (points: readonly PlanPoint[]) =>
  points.reduce((sum, { requests, warmup }) => sum + requests + warmup, 0);

describe('the named plans', () => {
  // The published report: four scenarios, 1 to 32 users, bursts of 1 to 256.
  test('inference-report has the points of the published report', () => {
    const { points } = expandPlan(run('inference-report', { repetitions: 1 }));
    expect(points).toHaveLength(4 * (6 + 9));
    for (const id of ['chatbot', 'rag', 'agentic', 'tool-calling']) {
      const own = points.filter(({ scenario }) => scenario.id === id);
      const levels = (mode: string) => own.filter(({ load }) => load.mode === mode).map(({ load }) => load.level);
      expect(levels('concurrency')).toEqual([1, 2, 4, 8, 16, 32]);
      expect(levels('burst')).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
      expect(own.every(({ scenario }) => scenario.outputTokens === 256)).toBe(true);
    }
    expect(points[0]?.scenario).toEqual({
      ...{ id: 'chatbot', inputTokens: 1024, outputTokens: 256, dataset: null, depth: null, kernel: null },
    });
  });

  test('serving-grid has six data sets at 100 and 50 requests per second and with a single request', () => {
    const { points } = expandPlan(run('serving-grid', { repetitions: 1 }));
    expect(points).toHaveLength(18);
    expect([...new Set(points.map(({ scenario }) => scenario.id))]).toEqual([
      ...['random-1500-250', 'random-4000-1000', 'random-1000-1000', 'sharegpt', 'edit-10k', 'numina-math'],
    ]);
    expect(points.slice(0, 3).map(({ load }) => formatLoad(load))).toEqual(['100 req/s', '50 req/s', 'single request']);
    expect(points.slice(0, 3).map(({ requests }) => requests)).toEqual([1000, 1000, 16]);
  });

  test('batch-grid has the offline scenarios with their batch sizes', () => {
    const { points } = expandPlan(run('batch-grid', { repetitions: 1 }));
    expect(points.map(({ scenario, load, requests }) => [scenario.id, load.mode, load.level, requests])).toEqual([
      ['interactive', 'batch', 1, 1],
      ['decode-bound', 'batch', 1, 1],
      ['prefill-bound', 'batch', 1, 1],
      ['long-context', 'batch', 1, 1],
      ['medium-batch', 'batch', 8, 8],
      ['base', 'batch', 32, 32],
      ['high-concurrency', 'batch', 64, 64],
    ]);
  });

  test('have three repetitions by default, with all points before the next repetition', () => {
    for (const { id } of namedPlans) {
      const { points } = expandPlan(run(id));
      const once = points.length / 3;
      expect(points.map(({ repetition }) => repetition)).toEqual([1, 2, 3].flatMap((n) => Array(once).fill(n)));
    }
    expect(expandPlan(run('batch-grid', { repetitions: 5 })).points).toHaveLength(35);
  });

  test('have at least four waves per closed loop, and one burst per burst', () => {
    for (const { load, requests } of expandPlan(run('inference-report')).points) {
      if (load.mode === 'burst') expect(requests).toBe(load.level);
      else expect(requests).toBeGreaterThanOrEqual(4 * load.level);
    }
  });

  test('fit into the memory of a worker', () => {
    for (const { items } of namedPlans) expect(items().map(sizeFault)).toEqual(items().map(() => null));
  });

  test('reject an unknown name', () => {
    expect(() => expandPlan(run('nothing'))).toThrow(RangeError);
    expect(findPlan('nothing')).toBeNull();
  });
});

describe('keys', () => {
  test('are unique and describe the point', () => {
    for (const { id } of namedPlans) {
      const keys = expandPlan(run(id)).points.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
    expect(expandPlan(run('inference-report')).points[7]?.key).toBe('chatbot/burst:2/1');
    expect(expandPlan(run('serving-grid')).points[0]?.key).toBe('random-1500-250/rate:100:shape1/1');
  });

  test('differ for different workloads and loads', () => {
    const scenario = { id: '100-10', inputTokens: 100, outputTokens: 10, dataset: null, depth: null, kernel: null };
    const items = [
      planItem(scenario, { mode: 'rate', level: 1 }),
      planItem(scenario, { mode: 'rate', level: 1, burstiness: 1 }),
      planItem(scenario, { mode: 'rate', level: 1, maxConcurrency: 1 }),
      planItem(scenario, { mode: 'burst', level: 1 }),
      planItem({ ...scenario, outputTokens: 100 }, { mode: 'burst', level: 1 }),
      planItem({ ...scenario, inputTokens: 10 }, { mode: 'burst', level: 1 }),
      planItem({ ...scenario, dataset: 'a/b:c' }, { mode: 'burst', level: 1 }),
    ];
    expect(new Set(items.map(itemKey)).size).toBe(items.length);
  });

  // After a crash, another worker resumes the run from the keys of the stored points.
  test('do not depend on limits, repetitions or other points', () => {
    const of = ({ points }: { points: PlanPoint[] }) => points.map(({ key }) => key);
    const whole = new Set(of(expandPlan(run('inference-report'))));
    for (const key of of(limited('inference-report', { requests: 500, concurrency: 16 }, { repetitions: 2 })))
      expect(whole).toContain(key);
    expect(whole.size).toBe(expandPlan(run('inference-report')).points.length);
  });

  test('identify the remaining points of a run', () => {
    const { points } = expandPlan(run('batch-grid'));
    const measured = new Set(points.slice(0, 9).map(({ key }) => key));
    expect(remainingPoints(points, measured)).toEqual(points.slice(9));
    expect(remainingPoints(points, new Set())).toEqual(points);
  });
});

test('a workload is shown with its requested lengths, or with its name', () => {
  const shape = { dataset: null, depth: null, kernel: null };
  expect(scenarioTitle({ ...shape, id: '130-64', inputTokens: 128, outputTokens: 64 })).toBe('128-64');
  expect(scenarioTitle({ ...shape, id: 'chatbot', inputTokens: 1024, outputTokens: 256 })).toBe('chatbot');
  expect(scenarioTitle({ ...shape, id: 'prefix-2x50', inputTokens: 150, outputTokens: 20 })).toBe('prefix-2x50');
  expect(scenarioTitle({ ...shape, id: 'turns-2-9-to-8', inputTokens: null, outputTokens: 8 })).toBe('turns-2-9-to-8');
});

describe('totals', () => {
  test('are sums over the points', () => {
    const scenario = { id: 'chatbot', inputTokens: 1024, outputTokens: 256, dataset: null, depth: null, kernel: null };
    const items = [
      planItem(scenario, { mode: 'concurrency', level: 2 }, { requests: 10, warmup: 2 }),
      planItem(scenario, { mode: 'burst', level: 8 }, { warmup: 0 }),
    ];
    const { totals } = expandPlan(run(items, { repetitions: 2 }));
    expect(totals).toEqual({ points: 4, requests: 40, tokens: 40 * 1280, concurrency: 8 });
  });

  test('are zero without points, and have no concurrency for a rate without a cap', () => {
    expect(totalsOf([])).toEqual({ points: 0, requests: 0, tokens: 0, concurrency: 0 });
    expect(expandPlan(run('serving-grid')).totals.concurrency).toBeNull();
  });

  test('a warm-up of the run replaces that of the plan', () => {
    expect(expandPlan(run('inference-report', { warmup: 0 })).points.every(({ warmup }) => warmup === 0)).toBe(true);
    expect(expandPlan(run('inference-report', { warmup: 3 })).points.every(({ warmup }) => warmup === 3)).toBe(true);
  });
});

describe('limits', () => {
  test('on concurrency omit higher loads and cap rates, with a reason', () => {
    const { points, omitted, totals } = limited('inference-report', { concurrency: 4 }, { repetitions: 1 });
    expect(points).toHaveLength(4 * 6);
    expect(points.every(({ load }) => load.level <= 4)).toBe(true);
    expect(omitted).toHaveLength(4 * 9);
    expect(omitted).toContainEqual({ key: 'rag/burst:8/1', title: 'rag, burst of 8', reason: 'above_concurrency' });
    expect(totals.concurrency).toBe(4);
    const rates = limited('serving-grid', { concurrency: 4 });
    expect(rates.omitted).toEqual([]);
    expect(rates.points[0]?.load).toEqual({ mode: 'rate', level: 100, burstiness: 1, maxConcurrency: 4 });
    expect(rates.totals.concurrency).toBe(4);
  });

  // An unverified endpoint allows 50 requests a day, four at a time.
  test('of an unproven endpoint keep a point for every low load', () => {
    const { points, omitted } = limited('inference-report', { requests: 50, concurrency: 4 });
    expect(requestsIn(points)).toBeLessThanOrEqual(50);
    expect(points.every(({ repetition }) => repetition === 1)).toBe(true);
    expect(points.length).toBeGreaterThanOrEqual(20);
    expect(points.length + omitted.length).toBe(180);
  });

  test('on requests shrink loops before they omit points', () => {
    const whole = expandPlan(run('inference-report'));
    const { points, omitted } = limited('inference-report', { requests: Math.floor(whole.totals.requests * 0.9) });
    expect(omitted).toEqual([]);
    expect(points).toHaveLength(whole.points.length);
    expect(points.every(({ load, requests }) => requests >= load.level)).toBe(true);
  });

  test('on time give every point a share, and limit the requests of rates', () => {
    const { points } = limited('serving-grid', { durationS: 180 }, { repetitions: 1 });
    expect(points.every(({ durationMaxS }) => durationMaxS === 10)).toBe(true);
    expect(points.slice(0, 3).map(({ requests }) => requests)).toEqual([1000, 500, 16]);
    expect(expandPlan(run('serving-grid')).points.every(({ durationMaxS }) => durationMaxS === null)).toBe(true);
  });

  test('that allow no point report every point as omitted', () => {
    const { points, omitted, totals } = limited('batch-grid', { tokens: 10 });
    expect(points).toEqual([]);
    expect(omitted).toHaveLength(21);
    expect(omitted.every(({ reason }) => reason === 'above_tokens')).toBe(true);
    expect(totals.points).toBe(0);
  });

  test('are respected for any values, without changed loads or silent omissions', () => {
    const maybe = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: null });
    fc.assert(
      fc.property(
        fc.constantFrom(...namedPlans.map(({ id }) => id)),
        fc.integer({ min: 1, max: 3 }),
        fc.record({ requests: maybe(30_000), tokens: maybe(200_000_000), concurrency: maybe(300) }),
        (id, repetitions, limits) => {
          const whole = expandPlan(run(id, { repetitions }));
          const { points, omitted, totals } = limited(id, limits, { repetitions });
          if (limits.requests !== null) expect(totals.requests).toBeLessThanOrEqual(limits.requests);
          if (limits.tokens !== null) expect(totals.tokens).toBeLessThanOrEqual(limits.tokens);
          if (limits.concurrency !== null) expect(totals.concurrency ?? 0).toBeLessThanOrEqual(limits.concurrency);
          const keys = [...points, ...omitted].map(({ key }) => key);
          expect(keys.sort()).toEqual(whole.points.map(({ key }) => key).sort());
          for (const { load, requests } of points) {
            if (load.mode === 'burst' || load.mode === 'batch') expect(requests).toBe(load.level);
            else expect(requests).toBeGreaterThanOrEqual(load.mode === 'rate' ? 100 : load.level);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
