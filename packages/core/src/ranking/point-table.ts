import { loadModesOrUnspecified } from '../load.ts';
import type { Metric, MetricName } from '../metrics/index.ts';
import type { MetricKind } from '../metrics/metric.ts';
import { resultStatuses, trustLevels } from '../result.ts';
import { regimes } from '../workloads/regime.ts';

/** What filters ask of a system. */
export interface SystemKeys {
  id: string;
  modelId: string | null;
  modelFamily: string | null;
  modelKey: string;
  quantizationId: string | null;
  quantizationKey: string;
  quantizationRecipe: readonly string[];
  gpuId: string | null;
  gpuFamily: string | null;
  gpuKey: string;
  gpuCount: number | null;
  gpuPowerLimitW: number | null;
  engineId: string | null;
  engineKey: string;
  engineVersion: string | null;
}

export const metricKinds: readonly MetricKind[] = ['serving', 'kernel', 'training'];

/** Codes of words in a `PointTable`: their places in these lists. */
export const pointCodes = {
  status: resultStatuses,
  trust: trustLevels,
  kind: metricKinds,
  loadMode: loadModesOrUnspecified,
  regime: regimes,
} as const;

/** The regime code of a row that has none: a kernel or a training run. */
export const noRegime = 255;

/** The status code of a row that is there no more. */
export const goneStatus = 255;

/** What the values of a metric rest on; NaN where it is not known, and in rows without one. */
export interface FigureColumns {
  n: Float64Array;
  sd: Float64Array;
  /** Places in `PointTable.tools`. */
  tools: Int32Array;
}

/**
 * The statistics of all points as columns: a row for each variant of each point and status. Rows of one point and status
 * lie together, the preferred formulas first. Words are codes of `pointCodes`.
 */
export interface PointTable {
  /** Rows, those that are gone with them. */
  readonly length: number;
  /** Another number whenever a row has changed. */
  readonly version: number;
  readonly pointId: Float64Array;
  readonly status: Uint8Array;
  readonly variant: Uint8Array;
  readonly trust: Uint8Array;
  readonly kind: Uint8Array;
  readonly loadMode: Uint8Array;
  /** `noRegime` of what is no serving result. */
  readonly regime: Uint8Array;
  /** NaN where it is not known. */
  readonly loadLevel: Float64Array;
  /** Places in `systems`, `scenarios` and `workloads`. */
  readonly system: Int32Array;
  readonly scenario: Int32Array;
  readonly workload: Int32Array;
  readonly systems: readonly SystemKeys[];
  /** Names. */
  readonly scenarios: readonly string[];
  /** Ids: `chatbot-steady`; the scenario's of a kernel or a training run. */
  readonly workloads: readonly string[];
  /** 1 where another account contradicts the claim that stands; absent where no row is disputed. */
  readonly disputed?: Uint8Array;
  /** 1 where the point has results in this standing that no row sums up: of claims that do not stand, or not averaged. */
  readonly beside?: Uint8Array;
  /** Place in `tools`: those of all results in a row. */
  readonly toolSet: Int32Array;
  /** Sets of tools that measured one value, or the results of one row. */
  readonly tools: readonly (readonly string[])[];
  /** Means of a metric; NaN where a row has none. */
  values(metric: MetricName): Float64Array;
  figures(metric: MetricName): FigureColumns;
  /** The formula behind a row's values of a metric base, a place in `ids`; '' where none is recorded. */
  definitions(base: string): { codes: Uint8Array; ids: readonly string[] };
}

/** What a question reads of a table beside what every row has. */
export interface TableNeeds {
  values: readonly MetricName[];
  figures: readonly MetricName[];
  definitions: readonly string[];
}

/** What ranking by a metric under bounds reads. */
export function rankingNeeds(rankBy: Metric, bounds: readonly { metric: MetricName }[]): TableNeeds {
  return {
    values: [...new Set([rankBy.name, ...bounds.map(({ metric }) => metric)])],
    figures: [rankBy.name],
    definitions: [rankBy.family.base],
  };
}

/** The row after the last of those of the point and status that `row` begins. */
export function endOfGroup({ pointId, status, length }: PointTable, row: number): number {
  let end = row + 1;
  while (end < length && pointId[end] === pointId[row] && status[end] === status[row]) end += 1;
  return end;
}
