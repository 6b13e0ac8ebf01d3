import type { Word } from './facts.ts';
import { familyOf, type Standing, type Variant } from './points.ts';
import type { Row } from './rows.ts';

export interface Bound {
  metric: string;
  side: 'min' | 'max';
  value: number;
}

/** A query as parameters and as conditions. A list matches any of its values; an absent field matches everything. */
export interface Filters {
  model?: Word[];
  modelFamily?: Word[];
  quantization?: Word[];
  gpu?: Word[];
  gpuCount?: number[];
  gpuPowerLimitW?: number[];
  engine?: Word[];
  engineVersion?: string[];
  /** Ids of workloads or shapes. */
  workload?: string[];
  regime?: string[];
  scenario?: (readonly [word: string, id: string])[];
  loadMode?: string[];
  loadLevel?: number[];
  minLoadLevel?: number;
  maxLoadLevel?: number;
  trust?: string[];
  account?: { said: string; name: string }[];
  tool?: string[];
  /** Milliseconds since 1970. */
  since?: number;
  until?: number;
  include: string[];
  bounds: Bound[];
}

/** The query parameters of the conditions. */
export function toQuery(filters: Filters): [string, string][] {
  const words = (name: string, list: Word[] | undefined) => (list ?? []).map(({ word }) => [name, word]);
  const plain = (name: string, list: readonly (string | number)[] | undefined) =>
    (list ?? []).map((value) => [name, String(value)]);
  const one = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [[name, String(value)]];
  const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  return [
    ...words('model', filters.model),
    ...words('model_family', filters.modelFamily),
    ...words('quantization', filters.quantization),
    ...words('gpu', filters.gpu),
    ...plain('gpu_count', filters.gpuCount),
    ...plain('gpu_power_limit_w', filters.gpuPowerLimitW),
    ...words('engine', filters.engine),
    ...plain('engine_version', filters.engineVersion),
    ...plain('workload', filters.workload),
    ...plain('regime', filters.regime),
    ...(filters.scenario ?? []).map(([word]) => ['scenario', word]),
    ...plain('load_mode', filters.loadMode),
    ...plain('load_level', filters.loadLevel),
    ...one('min_load_level', filters.minLoadLevel),
    ...one('max_load_level', filters.maxLoadLevel),
    ...plain('trust', filters.trust),
    ...(filters.account ?? []).map(({ said }) => ['account', said]),
    ...plain('tool', filters.tool),
    ...one('since', time(filters.since)),
    ...one('until', time(filters.until)),
    ...plain('include', filters.include),
    ...filters.bounds.map(({ metric, side, value }) => [`${side}_${metric}`, String(value)]),
  ] as [string, string][];
}

const anyOf = <T>(wanted: readonly T[] | undefined, isIt: (one: T) => boolean) =>
  wanted === undefined || wanted.some(isIt);

const regimes: Record<string, string> = {
  concurrency: 'steady',
  rate: 'steady',
  burst: 'burst',
  batch: 'offline',
  unspecified: 'unspecified',
};

/** How the requests of a result reach the server; null for a kernel or evaluation. */
const regimeOf = ({ kind, load }: Row) => (kind === 'serving' ? (regimes[load.mode] ?? '') : null);

/** Shape and regime of the workload. */
export function workloadOf(row: Row): string {
  const regime = regimeOf(row);
  return regime === null ? row.scenario.id : `${row.scenario.id}-${regime}`;
}

/** A shape matches all its regimes; a scenario is an alias of a workload. */
export function meetsWorkload({ workload, regime, scenario }: Filters, row: Row): boolean {
  const asked = [...(workload ?? []), ...(scenario ?? []).map(([, id]) => id)];
  return (
    anyOf(asked.length === 0 ? undefined : asked, (id) => id === workloadOf(row) || id === row.scenario.id) &&
    anyOf(regime, (one) => one === regimeOf(row))
  );
}

/** Conditions on the measurement and its workload. */
export function meetsFacts(filters: Filters, row: Row): boolean {
  const { facts, load } = row;
  const { minLoadLevel = Number.NEGATIVE_INFINITY, maxLoadLevel = Number.POSITIVE_INFINITY } = filters;
  const isLevelAsked = filters.minLoadLevel !== undefined || filters.maxLoadLevel !== undefined;
  const hasLevel = load.level !== null && load.level >= minLoadLevel && load.level <= maxLoadLevel;
  return (
    anyOf(filters.model, (word) => word.means(facts.model)) &&
    anyOf(filters.modelFamily, (word) => word.means(facts.model)) &&
    anyOf(filters.quantization, (word) => word.means(facts.quantization)) &&
    anyOf(filters.gpu, (word) => word.means(facts.gpu)) &&
    anyOf(filters.gpuCount, (count) => count === facts.gpuCount) &&
    anyOf(filters.gpuPowerLimitW, (watts) => watts === facts.gpuPowerLimitW) &&
    anyOf(filters.engine, (word) => word.means(facts.engine)) &&
    anyOf(filters.engineVersion, (version) => version === facts.engineVersion) &&
    meetsWorkload(filters, row) &&
    anyOf(filters.loadMode, (mode) => mode === load.mode) &&
    anyOf(filters.loadLevel, (level) => level === load.level) &&
    (!isLevelAsked || hasLevel)
  );
}

/** Conditions on the submitter, the tool and the time. */
export function meetsOrigin(filters: Filters, row: Row): boolean {
  return (
    anyOf(filters.account, ({ name }) => name === row.account.name) &&
    anyOf(filters.tool, (tool) => tool === row.tool) &&
    (filters.since === undefined || row.storedAt >= filters.since) &&
    (filters.until === undefined || row.storedAt < filters.until)
  );
}

export const hasOrigin = ({ account, tool, since, until }: Filters): boolean =>
  [account, tool, since, until].some((wanted) => wanted !== undefined);

/** A point matches if one of its results does; if a metric is queried, one of the results of its value. */
export function meetsOriginOf(filters: Filters, standing: Standing, variant: Variant, metric: string | null): boolean {
  if (!hasOrigin(filters)) return true;
  return standing.rows.some((row) => {
    if (!meetsOrigin(filters, row)) return false;
    if (metric === null) return true;
    const { base } = familyOf(metric);
    const isSameFormula = (row.definitions[base] ?? null) === (variant.definitions[base] ?? null);
    return isSameFormula && (row.values[metric] !== undefined || variant.figures[metric] === undefined);
  });
}

export const meetsTrust = ({ trust }: Filters, level: string): boolean => anyOf(trust, (wanted) => wanted === level);
export const meetsStatus = ({ include }: Filters, status: string): boolean =>
  status === 'accepted' || include.includes(status);

/** The percentiles that can satisfy a bound on one of them, in lookup order. */
const answering: Record<string, string[]> = { p90: ['p90', 'p95', 'p99'], p95: ['p95', 'p99'] };

/** The metrics of a bound: without a p90, a p95 or p99 below the limit meets an upper limit on p90. */
export function answersOf({ metric, side }: Pick<Bound, 'metric' | 'side'>): string[] {
  const [, base, percentile = ''] = /^(.+_ms)_(p9[05])$/.exec(metric) ?? [];
  if (side === 'min' || base === undefined) return [metric];
  return (answering[percentile] ?? []).map((one) => `${base}_${one}`);
}

/** A missing value does not meet a bound. */
export function meetsBounds({ bounds }: Filters, figureOf: (metric: string) => number | undefined): boolean {
  return bounds.every(({ metric, side, value: limit }) => {
    const value = answersOf({ metric, side })
      .map(figureOf)
      .find((figure) => figure !== undefined);
    return value !== undefined && (side === 'min' ? value >= limit : value <= limit);
  });
}
