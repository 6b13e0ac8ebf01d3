import { findNamedScenario } from '../catalogue/scenario-names.ts';
import type { MetricKind } from '../metrics/metric.ts';
import type { Load } from '../subjects/load.ts';
import type { Scenario } from '../subjects/scenario.ts';
import { type Regime, regimeOf } from './regime.ts';
import { readShapeName, roundLength } from './shape-name.ts';
import { formatWorkload } from './workload-id.ts';

/** The scope of a ranking. Lengths are those of the shape: "200-60" has 200 and 60. */
export interface Workload {
  id: string;
  /** Null for a kernel or a training run. */
  regime: Regime | null;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  depth: number | null;
}

const rounded = (tokens: number | null) => (tokens ? roundLength(tokens) : tokens);

/** The lengths of a shape: those in its name, else those requested with its data set. */
function shapeLengths({ id, inputTokens, outputTokens }: Pick<Scenario, 'id' | 'inputTokens' | 'outputTokens'>) {
  const row = findNamedScenario(id);
  if (row !== null) return { inputTokens: row.inputTokens, outputTokens: row.outputTokens };
  const named = readShapeName(id);
  if (named !== null) return { inputTokens: named.inputTokens, outputTokens: named.outputTokens };
  return /^(?:pp|tg)\d/.test(id)
    ? { inputTokens, outputTokens }
    : { inputTokens: rounded(inputTokens), outputTokens: rounded(outputTokens) };
}

/** Returns the workload of a result or a point. For a kernel or a training run, it is the scenario. */
export function workloadOf({
  kind,
  scenario,
  load,
}: {
  kind: MetricKind;
  scenario: Pick<Scenario, 'id' | 'inputTokens' | 'outputTokens' | 'dataset' | 'depth'>;
  load: Pick<Load, 'mode' | 'regime'>;
}): Workload {
  const { id: shape, dataset, depth } = scenario;
  const regime = kind === 'serving' ? regimeOf(load) : null;
  return { id: formatWorkload({ shape, regime }), regime, ...shapeLengths(scenario), dataset, depth };
}
