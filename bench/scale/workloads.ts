import { resolveScenario, scenarios } from '../../packages/core/src/catalogue/index.ts';
import type { Scenario } from '../../packages/core/src/subjects/scenario.ts';
import { zipf } from './chance.ts';

/** A scenario with the mean token counts of its requests, if it does not state them. */
export interface Workload {
  /** Its row in the table. */
  id: number;
  scenario: Scenario;
  inputTokens: number;
  outputTokens: number;
}

/** Approximate means of the named data sets. */
const lengthsOf: Record<string, readonly [number, number]> = {
  sharegpt: [220, 200],
  'edit-10k': [2900, 2600],
  'numina-math': [120, 700],
};

const lengths = [
  [1024, 1024],
  [1024, 128],
  [512, 512],
  [8192, 1024],
  [2048, 2048],
  [128, 128],
  [256, 256],
  [1024, 8192],
  [32768, 512],
  [3000, 300],
] as const;

const named = scenarios
  .filter(({ batch }) => batch === null)
  .map(({ id, inputTokens, outputTokens, dataset }) => ({ id, inputTokens, outputTokens, dataset }));
const others = lengths
  .map(([inputTokens, outputTokens]) => {
    const facts = { name: null, inputTokens, outputTokens, dataset: 'random', depth: null };
    return { ...resolveScenario(facts, null).scenario, inputTokens, outputTokens };
  })
  .filter(({ id }) => named.every((row) => row.id !== id))
  .map(({ id, inputTokens, outputTokens, dataset }) => ({ id, inputTokens, outputTokens, dataset }));

/** All workloads, the most popular first; their ids are those of their rows. */
export const workloads: readonly Workload[] = [...named, ...others].map((facts, place) => {
  const [input, output] = lengthsOf[facts.id] ?? [1024, 256];
  return {
    id: place + 1,
    scenario: { ...facts, depth: null, kernel: null },
    inputTokens: facts.inputTokens ?? input,
    outputTokens: facts.outputTokens ?? output,
  };
});

export const drawWorkload = zipf(workloads, 0.7);
