import type { DatasetId } from './datasets.ts';
import { type PlanScenario, tokensOfPrompts } from './made-up-prompts.ts';
import { tokensOfMix } from './mix.ts';
import { type PlanItem, requestsOfPoint } from './point.ts';

/** Maximum tokens of a point with its warm-up: a worker holds its requests and the times of its tokens in memory. */
const most = { input: 100_000_000, output: 200_000_000 } as const;

/** Maximum tokens of all prefixes of a workload together. */
export const prefixTokensMax = 10_000_000;

/** Typical maximum tokens of a record and its response. The actual tokens are counted when they are sent. */
const datasetTokens: ReadonlyMap<string, number> = new Map<DatasetId, number>([
  ['sharegpt', 2048],
  ['numina-math', 2048],
  ['edit-10k', 8192],
]);
const unknownTokens = 8192;

/** Requested tokens of one request. Those of a data set are approximate; drawn lengths and mixes have their means. */
export function tokensOfEach({ id, inputTokens, outputTokens, prompts, mix }: PlanScenario): {
  input: number;
  output: number;
} {
  if (prompts !== undefined) return tokensOfPrompts(prompts);
  if (mix !== undefined) return tokensOfMix(mix);
  if (inputTokens !== null && outputTokens !== null) return { input: inputTokens, output: outputTokens };
  return { input: datasetTokens.get(id) ?? unknownTokens, output: 0 };
}

const format = (count: number) => count.toLocaleString('en');

/** Why a point is too large to measure, as the rest of a sentence about it; null if it is not. */
export function sizeFault({
  scenario,
  requests,
  warmup,
}: Pick<PlanItem, 'scenario' | 'requests' | 'warmup'>): string | null {
  const each = tokensOfEach(scenario);
  const count = requestsOfPoint({ scenario, requests }) + warmup;
  for (const kind of ['input', 'output'] as const) {
    const tokens = count * each[kind];
    if (tokens > most[kind])
      return `has ${format(tokens)} ${kind} tokens in ${format(count)} requests, more than ${format(most[kind])}`;
  }
  return null;
}
