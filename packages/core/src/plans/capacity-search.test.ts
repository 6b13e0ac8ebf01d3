import { describe, expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { searchDefaults } from './capacity-search.ts';
import { expandPlan, isPlanEmpty } from './expand.ts';
import { readPlan } from './read-plan.ts';
import { noLimits, type PlanLimits } from './scale.ts';

const find = { limits: 'ttft_p99<2000, tpot_mean<50', scenario: 'chatbot' };

function faultsOf(written: unknown) {
  try {
    readPlan(written);
  } catch (error) {
    if (error instanceof DomainError) return error.faults.map(({ pointer, message }) => [pointer, message]);
    throw error;
  }
  return [];
}

const expand = (more: Record<string, unknown>, limits: Partial<PlanLimits> = {}) =>
  expandPlan({
    ...readPlan({ plan: 'capacity', find: { ...find, ...more } }),
    seed: 1,
    limits: { ...noLimits, ...limits },
  });

describe('a search', () => {
  test('requires limits and a workload, and has defaults for other fields', () => {
    expect(readPlan({ plan: 'capacity', find }).find).toMatchObject({
      limits: [
        { metric: 'ttft', statistic: 'p99', ms: 2000 },
        { metric: 'tpot', statistic: 'mean', ms: 50 },
      ],
      scenario: { id: 'chatbot', inputTokens: 1024 },
      ...{ mode: 'concurrency', first: 1, highest: 256, pointsMax: 20, requests: null },
    });
    const asked = { ...find, mode: 'rate', from: 0.5, to: 40, points: 12, requests: 200 };
    expect(readPlan({ plan: 'capacity', find: asked }).find).toMatchObject({
      ...{ mode: 'rate', first: 0.5, highest: 40, pointsMax: 12, requests: 200 },
    });
  });

  test('is rejected with all errors', () => {
    const wrong = { limits: 'speed<5', scenario: { input_tokens: 5 }, from: 4.5, to: 2, point: 3 };
    const faults = faultsOf({ plan: 'capacity', find: wrong, repetitions: 2, workers: 2 });
    expect(faults.map(([pointer]) => pointer)).toEqual([
      ...['/find/point', '/find/from', '/find/to', '/find/limits', '/find/scenario', '/repetitions'],
      '/workers',
    ]);
    expect(faults[3]?.[1]).toMatch(/^"speed<5" is not a limit\. Write METRIC_STATISTIC<MILLISECONDS/);
    expect(faultsOf({ plan: 'capacity' })).toEqual([['/find', expect.stringContaining('is missing')]]);
    expect(faultsOf({ plan: 'batch-grid', find })).toEqual([['/find', '/find belongs to the plan capacity.']]);
  });
});

describe('the budget of a search', () => {
  test('is known in advance, with a default maximum of requests', () => {
    const { points, totals, search } = expand({ to: 64, points: 10 }, { tokens: 5_000_000, durationS: 60 });
    expect(points).toEqual([]);
    expect(search).toMatchObject({
      ...{ highest: 64, pointsMax: 10 },
      budget: { requests: searchDefaults.requests, tokens: 5_000_000, durationS: 60 },
    });
    expect(totals).toEqual({ points: 10, requests: searchDefaults.requests, tokens: 5_000_000, concurrency: 64 });
  });

  test('lowers the highest load to the concurrency limit', () => {
    expect(expand({}, { concurrency: 4, requests: 50 }).search).toMatchObject({ highest: 4, budget: { requests: 50 } });
  });

  test.each([
    ['above_concurrency', { mode: 'rate' }, { concurrency: 4 }],
    ['above_concurrency', { from: 8 }, { concurrency: 4 }],
    ['above_requests', {}, { requests: 15 }],
    ['above_tokens', {}, { tokens: 16 * (1024 + 256) - 1 }],
  ] as const)('without any point is empty: %s', (reason, more, limits) => {
    const expanded = expand(more, limits);
    expect(isPlanEmpty(expanded)).toBe(true);
    expect(expanded.omitted).toMatchObject([{ reason }]);
  });
});
