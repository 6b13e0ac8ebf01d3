import { findMetric, type Metric, type MetricName } from '@inferboard/core/metrics/index';
import type { Api, Matrix, Problem } from '../../../lib/api.ts';
import { columnUnit, formatCount, formatRatio, formatValue, formatWithUnit } from '../../../lib/format.ts';
import { toPath, toQuery } from '../../../lib/parameters.ts';
import { scenarioText } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';

export interface KernelCell {
  time: string;
  /** "331.30 TFLOP/s"; null if unknown. */
  rate: string | null;
  n: string;
  /** "1.52×" the time of the fastest; null for the fastest. */
  behind: string | null;
  share: number;
  isBest: boolean;
  href: string;
  gpu: string;
}

export interface KernelTable {
  id: string;
  title: string;
  time: Metric;
  rate: Metric;
  implementations: string[];
  rows: { title: string; detail: string; href: string; cells: (KernelCell | null)[] }[];
}

export interface KernelBoard {
  tables: KernelTable[];
  /** GPUs with kernel timings. */
  gpus: { id: string; title: string }[];
}

const directions: readonly { id: string; title: string; time: MetricName; rate: MetricName }[] = [
  { id: 'forward', title: 'Forward', time: 'forward_ms', rate: 'forward_tflop_s' },
  { id: 'backward', title: 'Backward', time: 'backward_ms', rate: 'backward_tflop_s' },
];

const sides = { rows: ['scenario'], columns: ['engine'] };

export const kernelApiPath = (metric: MetricName, filters: readonly Parameter[]) =>
  toPath('/v1/matrix', [['rows', 'scenario'], ['columns', 'engine'], ['metric', metric], ...filters]);
export const kernelCsvPath = (metric: MetricName, filters: readonly Parameter[]) =>
  kernelApiPath(metric, filters).replace('/v1/matrix', '/v1/matrix.csv');

function toTable(direction: (typeof directions)[number], times: Matrix, rates: Matrix | null): KernelTable | null {
  const [time, rate] = [findMetric(direction.time), findMetric(direction.rate)];
  if (time === null || rate === null || times.rows.headings.length === 0) return null;
  const rateOf = (row: string, column: string) => {
    const r = rates?.rows.headings.findIndex(({ id }) => id === row) ?? -1;
    const c = rates?.columns.headings.findIndex(({ id }) => id === column) ?? -1;
    return rates?.cells[r]?.[c]?.value ?? null;
  };
  const rows = times.rows.headings.map((heading, r) => {
    const cells = times.cells[r] ?? [];
    const values = cells.flatMap((cell) => (cell === null ? [] : [cell.value]));
    const [best, worst] = [Math.min(...values), Math.max(...values)];
    const scenario = cells.find((cell) => cell !== null)?.scenario;
    const kernel = scenario?.kernel ?? null;
    const sparsity = kernel?.sparsity == null ? null : `${formatCount(Math.round(kernel.sparsity * 100))} % masked out`;
    return {
      title: scenario === undefined ? heading.title : scenarioText(scenario).title,
      detail: [scenario === undefined ? null : scenarioText(scenario).detail, sparsity]
        .filter((part) => part !== null)
        .join(', '),
      href: `/scenarios/${encodeURIComponent(heading.id)}`,
      cells: cells.map((cell, c): KernelCell | null => {
        if (cell === null) return null;
        const column = times.columns.headings[c]?.id ?? '';
        const found = rateOf(heading.id, column);
        return {
          time: formatValue(cell.value, columnUnit(time.family.unit)) ?? '',
          rate: found == null ? null : formatWithUnit(found, rate.family.unit),
          n: cell.statistics.n === null ? 'n not stated' : `n ${cell.statistics.n}`,
          behind: cell.value === best ? null : formatRatio(cell.value / best, null).text,
          share: cell.value / worst,
          isBest: values.length > 1 && cell.value === best,
          href: `/systems/${cell.system.id}`,
          gpu: cell.system.gpu.title,
        };
      }),
    };
  });
  return {
    id: direction.id,
    title: direction.title,
    time,
    rate,
    implementations: times.columns.headings.map(({ title }) => title),
    rows,
  };
}

/** Kernel timings, the fastest for each case and implementation. They are a separate board, never mixed with serving results. */
export async function readKernels(
  api: Api,
  filters: readonly Parameter[],
): Promise<{ data: KernelBoard | null; problem: Problem | null }> {
  const ask = (metric: MetricName) => api.getMatrix({ ...toQuery(filters), ...sides, metric: [metric] });
  const asked = await Promise.all(
    directions.map(async (direction) => ({
      direction,
      times: await ask(direction.time),
      rates: await ask(direction.rate),
    })),
  );
  const problem = asked.find(({ times }) => times.problem !== null)?.times.problem ?? null;
  if (problem !== null) return { data: null, problem };
  const { data: byGpu } = await api.getMatrix({ rows: ['gpu'], columns: ['engine'], metric: ['forward_ms'] });
  return {
    data: {
      tables: asked.flatMap(({ direction, times, rates }) =>
        times.data === null ? [] : (toTable(direction, times.data, rates.data) ?? []),
      ),
      gpus: byGpu?.rows.headings ?? [],
    },
    problem: null,
  };
}
