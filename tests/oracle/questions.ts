import { contradictions } from '@inferboard/core/filters/contradictions';
import {
  engineVersions,
  engineWords,
  gpuWords,
  loads,
  modelFamilyWords,
  modelWords,
  quantizationWords,
  scenarioWords,
  workloadWords,
} from './facts.ts';
import { type Bound, type Filters, toQuery } from './filters.ts';
import { definitionsOf, familyOf } from './points.ts';
import type { Random } from './random.ts';
import type { Row } from './rows.ts';
import { accountNames, toolNames } from './world.ts';

/** Metrics with values in the generated data, including derived ones. */
export const servingMetrics = [
  'output_tok_s_per_gpu',
  'output_tok_s',
  'ttft_ms_mean',
  'ttft_ms_p90',
  'ttft_ms_p99',
  'itl_ms_mean',
  'tpot_ms_mean',
  'decode_tok_s',
  'user_tok_s',
  'req_s',
  'requests_failed',
  'tok_per_joule',
  'scaling_efficiency',
  'mbu',
  'e2e_ms_mean',
] as const;

/** A valid spelling: a bare latency name means its mean. */
export const spoken = (random: Random, metric: string): string =>
  random.chance(0.3) ? metric.replace(/_ms_mean$/, '_ms') : metric;

/** Sometimes a definition of a metric, by its name or by its group's name. */
export function makeDefinition(random: Random, metric: string): string | null {
  const all = definitionsOf(familyOf(metric).base).filter((definition) => !('unranked' in definition));
  if (all.length === 0 || !random.chance(0.15)) return null;
  const { id, group } = all[random.whole(0, all.length - 1)] ?? { id: '', group: '' };
  return random.pick([id, group]);
}

const optional = <T>(random: Random, probability: number, make: () => T): T | undefined =>
  random.chance(probability) ? make() : undefined;

/** A limit within the range of the values, in a form that a client can send; sometimes exactly one of the values. */
function makeBound(random: Random, rows: readonly Row[]): Bound {
  const metric = random.pick(servingMetrics);
  const values = rows.flatMap((row) => row.values[metric] ?? []).sort((a, b) => a - b);
  const value = values[Math.floor(random.next() * values.length)] ?? 1;
  const written = Number(value.toPrecision(9));
  const isWritable = /^\d{1,15}(\.\d{1,12})?$/.test(String(written));
  return { metric, side: random.pick(['min', 'max'] as const), value: isWritable ? written : 1 };
}

/** At most one bound of each kind, on any metric. */
function makeBounds(random: Random, rows: readonly Row[]): Bound[] {
  const count = random.pick([0, 0, 0, 1, 1, 2, 3]);
  const bounds = Array.from({ length: count }, () => makeBound(random, rows));
  return [...new Map(bounds.map((bound) => [`${bound.side} ${bound.metric}`, bound])).values()];
}

const upperCase = (text: string) => text.toUpperCase();

/** A query's filters: usually a few, sometimes none. */
export function makeFilters(random: Random, rows: readonly Row[]): Filters {
  const p = random.pick([0, 0.05, 0.12, 0.2]);
  const some = <T>(values: readonly T[], probability = p) =>
    optional(random, probability, () => random.some(values, random.pick([1, 1, 2, 3])));
  const times = rows.map(({ storedAt }) => storedAt);
  const time = () => optional(random, p, () => random.pick(times) + random.pick([0, 0, 1, -1]));
  const levels = [...new Set(loads.flatMap(({ level }) => level ?? []))];
  const { since, until } = { since: time(), until: time() };
  const accounts = accountNames.map((name) => ({
    said: random.chance(0.3)
      ? (rows.find((row) => row.account.name === name)?.account.id ?? name)
      : random.chance(0.3)
        ? upperCase(name)
        : name,
    name,
  }));
  const filters: { [K in keyof Filters]: Filters[K] | undefined } = {
    model: some(modelWords),
    modelFamily: some(modelFamilyWords, p / 2),
    quantization: some(quantizationWords),
    gpu: some(gpuWords),
    gpuCount: some([1, 2, 4, 8, 16]),
    gpuPowerLimitW: some([300, 412.5], p / 3),
    engine: some(engineWords),
    engineVersion: some(engineVersions, p / 2),
    workload: some(workloadWords, p / 2),
    regime: some(['steady', 'burst', 'offline', 'unspecified'], p / 3),
    scenario: some(scenarioWords, p / 2),
    loadMode: some(['concurrency', 'burst', 'rate', 'batch', 'unspecified']),
    loadLevel: some(levels, p / 2),
    minLoadLevel: optional(random, p / 2, () => random.pick(levels)),
    maxLoadLevel: optional(random, p / 2, () => random.pick(levels)),
    trust: some(['recomputed', 'self_reported', 'managed'], p / 2),
    account: some(accounts),
    tool: some(toolNames),
    since,
    until,
    include: random.some(['quarantined', 'retracted'], random.pick([0, 0, 1, 2])),
    bounds: makeBounds(random, rows),
  };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const asked: Filters = { include: [], bounds: [], ...Object.fromEntries(given) };
  const texts = Object.groupBy(toQuery(asked), ([name]) => name);
  const faults = contradictions(
    Object.fromEntries(Object.entries(texts).map(([name, pairs = []]) => [name, pairs.map(([, text]) => text)])),
  );
  // Bounds that contradict one another are an error.
  return faults.length === 0
    ? asked
    : { ...asked, bounds: [], minLoadLevel: undefined, maxLoadLevel: undefined, since: undefined, until: undefined };
}
