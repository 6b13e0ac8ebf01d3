import { formatWithUnit } from '@inferboard/core/format/figure';
import { formatLoad } from '@inferboard/core/subjects/load';
import { type SaidEntry, systemText } from '../asking/sentences.ts';
import { textTable } from './text-table.ts';

interface Matrix {
  metric: string;
  unit: string;
  workload: { id: string } | null;
  rows: { dimension: string; headings: readonly { id: string; title: string }[] };
  columns: { headings: readonly { id: string; title: string }[] };
  cells: readonly (readonly ({ value: number } | null)[])[];
}

interface Axis {
  metric: string;
  unit: string;
  better: string;
}

interface Frontier {
  x: Axis;
  y: Axis;
  workload: { id: string } | null;
  data: readonly (Pick<SaidEntry, 'system' | 'load'> & { on_frontier: boolean; x: number; y: number })[];
}

interface History {
  system: SaidEntry['system'];
  metric: string;
  unit: string;
  by: string;
  data: readonly {
    scenario: { id: string };
    load: SaidEntry['load'];
    definition: string | null;
    values: readonly {
      engine_version: string | null;
      month: string | null;
      n: number | null;
      mean: number;
      ci95: readonly [number, number] | null;
      at: string;
    }[];
  }[];
}

const nothing = 'No stored result matches.\n';
const pageLine = (page: string) => `\nPage: ${page}\n`;

/** A matrix as a table of text: one line for each row. */
export function textOfMatrix({ metric, unit, workload, rows, columns, cells }: Matrix, page: string): string {
  const what = `${metric}${workload === null ? '' : ` in ${workload.id}`}\n\n`;
  if (rows.headings.length === 0) return `${nothing}${pageLine(page)}`;
  const lines = rows.headings.map(({ title }, at) => ({ title, cells: cells[at] ?? [] }));
  const table = textTable(lines, [
    { title: rows.dimension, of: ({ title }) => title },
    ...columns.headings.map(({ title }, at) => ({
      title,
      isNumber: true,
      of: ({ cells: values }: (typeof lines)[number]) => {
        const cell = values[at];
        return cell == null ? '-' : formatWithUnit(cell.value, unit);
      },
    })),
  ]);
  return `${what}${table}${pageLine(page)}`;
}

/** The points of two metrics as a table of text; an asterisk marks those on the frontier. */
export function textOfFrontier({ x, y, workload, data }: Frontier, page: string): string {
  if (data.length === 0) return `${nothing}${pageLine(page)}`;
  const better = ({ metric, better: end }: Axis) => `${metric} (${end} is better)`;
  const table = textTable(data, [
    { title: x.metric, isNumber: true, of: (point) => formatWithUnit(point.x, x.unit) },
    { title: y.metric, isNumber: true, of: (point) => formatWithUnit(point.y, y.unit) },
    { title: 'Frontier', of: ({ on_frontier: isOn }) => (isOn ? '*' : '') },
    { title: 'System', of: ({ system }) => systemText(system) },
    { title: 'Load', of: ({ load }) => formatLoad(load) },
  ]);
  const where = workload === null ? '' : ` in ${workload.id}`;
  return `${better(y)} over ${better(x)}${where}\n\n${table}${pageLine(page)}`;
}

/** The values of a metric over time as text: a table for each workload and load. */
export function textOfHistory({ system, metric, unit, by, data }: History, page: string, next: string): string {
  const tables = data.map(({ scenario, load, definition, values }) => {
    const table = textTable(values, [
      { title: 'Version', of: ({ engine_version: version }) => version ?? 'unknown' },
      { title: 'Month', of: ({ month }) => month ?? '' },
      { title: 'Mean', isNumber: true, of: ({ mean, ci95 }) => formatWithUnit(mean, unit, { ci95 }) },
      {
        title: '95 % interval',
        of: ({ ci95 }) => (ci95 === null ? '' : ci95.map((end) => formatWithUnit(end, unit)).join(' to ')),
      },
      { title: 'n', isNumber: true, of: ({ n }) => (n === null ? '?' : String(n)) },
      { title: 'Date', of: ({ at }) => at.slice(0, 10) },
    ]);
    const formula = definition === null ? '' : `, by the formula ${definition}`;
    return `${scenario.id}, ${formatLoad(load)}${formula}\n${table}\n`;
  });
  return [
    `${metric} by ${by}: ${systemText(system)}\n\n`,
    ...(tables.length === 0 ? [`${nothing}\n`] : tables),
    `Page: ${page}\n`,
    next,
  ].join('');
}
