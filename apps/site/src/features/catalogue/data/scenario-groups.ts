import type { FactText } from './catalogue-facts.ts';

/** Groups of the scenario list, in order. Kernels are listed on /kernels only. */
export const scenarioGroups = [
  { id: 'lengths', title: 'Prompts and answers of a given length' },
  { id: 'tests', title: 'Prefill and decode tests' },
  { id: 'batches', title: 'Static batches' },
  { id: 'datasets', title: 'Data sets' },
  { id: 'mlperf', title: 'MLPerf Inference' },
  { id: 'others', title: 'Other workloads' },
] as const;

export type ScenarioGroup = (typeof scenarioGroups)[number]['id'] | 'kernels';

/**
 * The group of a scenario in the list.
 *
 * @param facts what is known of the scenario: lengths in tokens, data set, static batch
 * @param kind kind of the measured workload, such as `serving` or `kernel`; null if it is not measured
 */
export function groupOfScenario(id: string, facts: readonly FactText[], kind: string | null): ScenarioGroup {
  const factOf = (key: string) => facts.find((fact) => fact.key === key)?.value ?? null;
  if (kind === 'kernel') return 'kernels';
  if (id.startsWith('mlperf-')) return 'mlperf';
  if (factOf('batch') !== null) return 'batches';
  const [input, output] = [factOf('input_tokens'), factOf('output_tokens')];
  if (input === 0 || output === 0 || /^(?:pp|tg)\d/u.test(id)) return 'tests';
  if (input !== null || output !== null) return 'lengths';
  return factOf('dataset') === null ? 'others' : 'datasets';
}
