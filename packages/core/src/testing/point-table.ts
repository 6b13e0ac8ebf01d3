import type { MetricName } from '../metrics/index.ts';
import { type PointTable, pointCodes, type SystemKeys } from '../ranking/point-table.ts';
import { regimeOf } from '../workloads/regime.ts';
import { formatWorkload } from '../workloads/workload-id.ts';

/** A row of a table as a test writes it. */
export interface GivenRow {
  point: number;
  system: string;
  status?: (typeof pointCodes.status)[number];
  variant?: number;
  trust?: (typeof pointCodes.trust)[number];
  mode?: (typeof pointCodes.loadMode)[number];
  level?: number | null;
  scenario?: string;
  model?: string;
  quantization?: string;
  gpu?: string;
  isDisputed?: boolean;
  hasBeside?: boolean;
  values: Partial<Record<MetricName, number>>;
  definitions?: Record<string, string>;
  n?: number | null;
  sd?: number;
  tools?: string[];
}

/** The catalogue knows every name but `unspecified`. */
const known = (name: string) => (name === 'unspecified' ? null : name);

const systemOf = (
  id: string,
  { model = 'llama-3.1-8b', quantization = 'fp8', gpu = 'h100-sxm' }: Partial<GivenRow>,
): SystemKeys => ({
  id,
  modelId: known(model),
  modelFamily: known(model),
  modelKey: model,
  quantizationId: known(quantization),
  quantizationKey: quantization,
  quantizationRecipe: [],
  gpuId: known(gpu),
  gpuFamily: known(gpu.split('-')[0] ?? gpu),
  gpuKey: gpu,
  gpuCount: 1,
  gpuPowerLimitW: null,
  engineId: 'vllm',
  engineKey: 'vllm',
  engineVersion: id,
});

function numbered<T>(items: readonly T[]): { places: Int32Array; distinct: T[] } {
  const distinct = [...new Set(items)];
  return { places: Int32Array.from(items, (item) => distinct.indexOf(item)), distinct };
}

/** A table of serving results, under concurrency unless a row says otherwise; rows of one point and status stand together, as they are given. */
export function tableOf(rows: readonly GivenRow[]): PointTable {
  const numbers = (of: (row: GivenRow) => number | null | undefined) =>
    Float64Array.from(rows, (row) => of(row) ?? Number.NaN);
  const codes = (of: (row: GivenRow) => number) => Uint8Array.from(rows, of);
  const systems = numbered(rows.map(({ system }) => system));
  const scenarios = numbered(rows.map(({ scenario = 'chatbot' }) => scenario));
  const workloads = numbered(
    rows.map(({ scenario = 'chatbot', mode = 'concurrency' }) =>
      formatWorkload({ shape: scenario, regime: regimeOf({ mode }) }),
    ),
  );
  const tools = numbered(rows.map(({ tools: set = ['native'] }) => JSON.stringify(set)));
  return {
    length: rows.length,
    version: 1,
    pointId: numbers(({ point }) => point),
    toolSet: tools.places,
    status: codes(({ status = 'accepted' }) => pointCodes.status.indexOf(status)),
    variant: codes(({ variant = 0 }) => variant),
    trust: codes(({ trust = 'self_reported' }) => pointCodes.trust.indexOf(trust)),
    kind: codes(() => pointCodes.kind.indexOf('serving')),
    loadMode: codes(({ mode = 'concurrency' }) => pointCodes.loadMode.indexOf(mode)),
    regime: codes(({ mode = 'concurrency' }) => pointCodes.regime.indexOf(regimeOf({ mode }))),
    loadLevel: numbers(({ level = 1 }) => level),
    system: systems.places,
    scenario: scenarios.places,
    workload: workloads.places,
    beside: codes(({ hasBeside = false }) => Number(hasBeside)),
    disputed: codes(({ isDisputed = false }) => Number(isDisputed)),
    systems: systems.distinct.map((id) => systemOf(id, rows.find(({ system }) => system === id) ?? {})),
    scenarios: scenarios.distinct,
    workloads: workloads.distinct,
    tools: tools.distinct.map((set) => JSON.parse(set) as string[]),
    values: (metric) => numbers(({ values }) => values[metric]),
    figures: () => ({
      n: numbers(({ n = 1 }) => n),
      sd: numbers(({ sd }) => sd),
      tools: tools.places,
    }),
    definitions: (base) => {
      const found = numbered(rows.map(({ definitions }) => definitions?.[base] ?? ''));
      return { codes: Uint8Array.from(found.places), ids: found.distinct };
    },
  };
}
