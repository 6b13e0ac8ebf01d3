import type { MetricName } from '../metrics/index.ts';
import { type PointTable, pointCodes, type SystemKeys } from '../ranking/point-table.ts';

/** A row of a table as a test writes it. */
export interface GivenRow {
  point: number;
  system: string;
  status?: (typeof pointCodes.status)[number];
  variant?: number;
  trust?: (typeof pointCodes.trust)[number];
  level?: number | null;
  scenario?: string;
  gpu?: string;
  values: Partial<Record<MetricName, number>>;
  definitions?: Record<string, string>;
  n?: number | null;
  sd?: number;
  tools?: string[];
}

const systemOf = (id: string, gpu: string): SystemKeys => ({
  id,
  modelId: 'llama-3.1-8b',
  modelFamily: 'llama-3.1',
  modelKey: 'llama 3.1 8b',
  quantizationId: 'fp8',
  quantizationKey: 'fp8',
  quantizationRecipe: [],
  gpuId: gpu,
  gpuFamily: gpu.split('-')[0] ?? gpu,
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

/** A table of serving results under concurrency; rows of one point and status stand together, as they are given. */
export function tableOf(rows: readonly GivenRow[]): PointTable {
  const numbers = (of: (row: GivenRow) => number | null | undefined) =>
    Float64Array.from(rows, (row) => of(row) ?? Number.NaN);
  const codes = (of: (row: GivenRow) => number) => Uint8Array.from(rows, of);
  const systems = numbered(rows.map(({ system }) => system));
  const scenarios = numbered(rows.map(({ scenario = 'chatbot' }) => scenario));
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
    loadMode: codes(() => pointCodes.loadMode.indexOf('concurrency')),
    loadLevel: numbers(({ level = 1 }) => level),
    system: systems.places,
    scenario: scenarios.places,
    systems: systems.distinct.map((id) => systemOf(id, rows.find(({ system }) => system === id)?.gpu ?? 'h100-sxm')),
    scenarios: scenarios.distinct,
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
