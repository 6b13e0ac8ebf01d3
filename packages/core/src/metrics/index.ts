import { durationS, inputTokens, outputTokens, requestsFailed, requestsOk } from './counts.ts';
import { e2e } from './e2e.ts';
import { mbu, mfu, outputTokSPerGpu, powerW, scalingEfficiency, tokPerJoule } from './efficiency.ts';
import { goodput } from './goodput.ts';
import { itl } from './itl.ts';
import { backwardMs, backwardTflopS, forwardMs, forwardTflopS } from './kernel.ts';
import type { MetricDefinition, MetricFamily, NamesOfAll } from './metric.ts';
import { maxSafeQueue, speedupVsBaseline, usdPerMtokOutput } from './on-request.ts';
import { klDivergence, perplexity, score } from './quality.ts';
import { decodeTokS, inputTokS, outputTokS, prefillTokS, reqS, totalTokS, userTokS } from './throughput.ts';
import { tpot } from './tpot.ts';
import { batchSize, memoryGb, wallS } from './training.ts';
import { ttft } from './ttft.ts';

/** The registry of all metrics, in display order. To add one, add one file and one line here. */
export const metricFamilies = [
  ttft,
  itl,
  tpot,
  e2e,
  reqS,
  outputTokS,
  inputTokS,
  totalTokS,
  userTokS,
  durationS,
  requestsOk,
  requestsFailed,
  inputTokens,
  outputTokens,
  goodput,
  prefillTokS,
  decodeTokS,
  powerW,
  forwardMs,
  forwardTflopS,
  backwardMs,
  backwardTflopS,
  wallS,
  memoryGb,
  batchSize,
  score,
  perplexity,
  klDivergence,
  outputTokSPerGpu,
  scalingEfficiency,
  tokPerJoule,
  mbu,
  mfu,
] as const;

/** Figures calculated only on request. No result has them, so they have no column and no bounds. */
export const onRequestFamilies = [maxSafeQueue, speedupVsBaseline, usdPerMtokOutput] as const;

export type MetricName = NamesOfAll<typeof metricFamilies>;

/** One value name and its properties. */
export interface Metric {
  name: MetricName;
  family: MetricFamily;
  /** `mean`, `p99`, ...; null if the family has one value. */
  statistic: string | null;
  /** "p99 TTFT", "Output throughput". */
  title: string;
}

function toMetric(family: MetricFamily, statistic: string | null): Metric {
  const name = (statistic === null ? family.base : `${family.base}_${statistic}`) as MetricName;
  const title = statistic === null || statistic === 'mean' ? family.title : `${statistic} ${family.title}`;
  return { name, family, statistic, title };
}

/** All value names, in registry order. */
export const metrics: readonly Metric[] = metricFamilies.flatMap((family: MetricFamily) =>
  family.statistics === null ? [toMetric(family, null)] : family.statistics.map((s) => toMetric(family, s)),
);

export const metricNames: readonly MetricName[] = metrics.map((metric) => metric.name);

const byName = new Map<string, Metric>(metrics.map((metric) => [metric.name, metric]));
const byBase = new Map<string, MetricFamily>(metricFamilies.map((family) => [family.base, family]));

/** Returns the metric with a name. A bare base such as `itl_ms` means its mean. Null if there is none. */
export function findMetric(name: string): Metric | null {
  return byName.get(name) ?? byName.get(`${name}_mean`) ?? null;
}

const familyByName = Object.fromEntries(metrics.map(({ name, family }) => [name, family])) as Record<
  MetricName,
  MetricFamily
>; // every name is a key

export const familyOfMetric = (name: MetricName): MetricFamily => familyByName[name];

export function findFamily(base: string): MetricFamily | null {
  return byBase.get(base) ?? null;
}

/** The groups of a metric's formulas whose values are shown but not ranked. */
export const unrankedGroups = ({ definitions }: MetricFamily): string[] => [
  ...new Set(definitions.flatMap(({ group, unranked }) => (unranked === undefined ? [] : [group]))),
];

/** Returns the definition group of a value: null if its family has only one formula or none was recorded. */
export function definitionGroup(family: MetricFamily, definitionId: string | undefined): string | null {
  const found = family.definitions.find((definition: MetricDefinition) => definition.id === definitionId);
  return found?.group ?? null;
}
