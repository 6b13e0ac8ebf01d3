import { resolveScenario } from '@inferboard/core/catalogue/scenarios';
import { expect, test } from 'vitest';
import { type FindPlan, pointFor } from './find-source.ts';
import { readLimits } from './limits.ts';
import { usualSearch } from './search.ts';

const facts = { name: null, inputTokens: 8, outputTokens: 16, dataset: null, depth: null };
const { scenario } = resolveScenario(facts, { mode: 'concurrency', level: 1 });
const planFor = (mode: FindPlan['search']['mode'], requests: number | null = null): FindPlan => ({
  ...{ scenario, limits: readLimits('e2e_p99<1'), seed: 5, requests, warmup: 0, durationS: null },
  search: { ...usualSearch, mode, first: 1, highest: 1000 },
});
const sizeOf = (plan: FindPlan, level: number, isFine: boolean, answerS = 0) =>
  pointFor({ level, isFine }, 1, plan, answerS).requests;

test('measures several waves of users, and more near the limit', () => {
  const plan = planFor('concurrency');
  expect([sizeOf(plan, 2, false), sizeOf(plan, 50, false), sizeOf(plan, 2, true), sizeOf(plan, 50, true)]).toEqual([
    ...[16, 200, 100, 400],
  ]);
});

test('an open loop lasts some seconds, or several responses', () => {
  const plan = planFor('rate');
  expect([sizeOf(plan, 10, false), sizeOf(plan, 10, true)]).toEqual([80, 200]);
  expect([sizeOf(plan, 10, false, 30), sizeOf(plan, 10, true, 30)]).toEqual([600, 1500]);
});

test('--requests sets the size of points near the limit, with at least one request per user', () => {
  const plan = planFor('concurrency', 60);
  expect([sizeOf(plan, 8, true), sizeOf(plan, 8, false), sizeOf(plan, 90, true)]).toEqual([60, 30, 90]);
});

test('gives each repetition different prompts', () => {
  const plan = planFor('rate');
  const [first, second] = [1, 2].map((repetition) => pointFor({ level: 3, isFine: true }, repetition, plan, 0));
  expect(first?.key).not.toBe(second?.key);
});
