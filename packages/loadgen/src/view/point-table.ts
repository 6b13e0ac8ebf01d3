import { scenarioTitle } from '@inferboard/core/plans/point';
import { supportedPercentiles } from '@inferboard/core/statistics/supported-percentiles';
import { formatLoad } from '@inferboard/core/subjects/load';
import { failedOf, type LatencySummary } from '../measure/records/summarise-load.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';
import type { Energy } from '../probe/energy.ts';

type Column = readonly [title: string, of: (point: MeasuredPoint) => string];

const number = (value: number | null | undefined, digits: number) => (value == null ? '-' : value.toFixed(digits));
/** The median and the highest percentile that the samples support: "20.1 / p95 31.0". */
function pair(latency: LatencySummary | null, digits: number): string {
  const shown = supportedPercentiles(latency?.n ?? 0);
  const highest = shown.at(-1);
  if (latency === null || highest === undefined) return '-';
  const median = number(latency.p50, digits);
  return highest === 50 ? `${median} / -` : `${median} / p${highest} ${number(latency[`p${highest}`], digits)}`;
}

const usualColumns: readonly Column[] = [
  ['scenario', ({ point }) => scenarioTitle(point.scenario)],
  ['load', ({ point }) => formatLoad(point.load)],
  ['ok', ({ summary }) => String(summary.by_outcome.ok)],
  ['failed', ({ summary }) => String(failedOf(summary))],
  ['TTFT p50 / tail ms', ({ summary }) => pair(summary.latencies.ttft_from_sent, 1)],
  ['ITL p50 / tail ms', ({ summary }) => pair(summary.latencies.itl_per_chunk, 2)],
  ['TPOT mean ms', ({ summary }) => number(summary.latencies.tpot_per_token?.mean, 2)],
  ['E2E p50 / tail ms', ({ summary }) => pair(summary.latencies.e2e_from_sent, 0)],
  ['req/s', ({ summary }) => number(summary.throughput?.req_s, 2)],
  [
    'output tok/s',
    // What generates nothing has no rate of tokens.
    ({ summary, record }) => (record.documents ? '-' : number(summary.throughput?.output_tok_s, 1)),
  ],
];

const goodputColumn: Column = [
  'goodput req/s',
  ({ goodput }) => (goodput === null ? '-' : `${number(goodput.req_s, 2)} (${(100 * goodput.share).toFixed(0)} %)`),
];

const repetitionColumn: Column = ['repetition', ({ point }) => String(point.repetition)];

const gap = '  ';

/** Rows of cells as aligned lines: `leading` columns to the left, the others to the right. */
function alignLines(rows: readonly (readonly string[])[], leading: number): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at < leading ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join(gap)
      .trimEnd(),
  );
}

/** Rows of a table as its columns, in several tables if they are wider than the terminal. */
function turnLines([titles = [], ...rows]: readonly (readonly string[])[], columns: number): string[] {
  const widthOf = (cells: readonly string[]) => Math.max(...cells.map((cell) => cell.length));
  const tables: (readonly string[])[][] = [];
  let left = 0;
  for (const row of rows) {
    const width = gap.length + widthOf(row);
    if (tables.length === 0 || width > left) {
      tables.push([]);
      left = columns - widthOf(titles);
    }
    tables.at(-1)?.push(row);
    left -= width;
  }
  return tables.flatMap((points, at) => [
    ...(at === 0 ? [] : ['']),
    ...alignLines(
      titles.map((title, line) => [title, ...points.map((point) => point[line] ?? '')]),
      1,
    ),
  ]);
}

/**
 * All points as a table, a row for each. It has a column for repetitions if there are any. If the table is wider than the
 * terminal, the points are columns. `columns`: of the terminal; null elsewhere.
 */
export function formatTable(points: readonly MeasuredPoint[], columns: number | null): string {
  const isRepeated = points.some(({ point }) => point.repetition > 1);
  const shown = [
    ...usualColumns.slice(0, 2),
    ...(isRepeated ? [repetitionColumn] : []),
    ...usualColumns.slice(2),
    ...(points.some(({ goodput }) => goodput !== null) ? [goodputColumn] : []),
  ];
  const rows = [shown.map(([title]) => title), ...points.map((point) => shown.map(([, of]) => of(point)))];
  const lines = alignLines(rows, 2);
  const isFit = columns === null || lines.every((line) => line.length <= columns);
  return (isFit ? lines : turnLines(rows, columns)).join('\n');
}

/** "412.3 W, 0.871 J per output token". */
export function describeEnergy({ summary }: MeasuredPoint, { meanW, joules }: Energy): string {
  const each =
    summary.output_tokens === 0 ? '' : `, ${(joules / summary.output_tokens).toPrecision(3)} J per output token`;
  return `${meanW.toFixed(1)} W${each}`;
}
