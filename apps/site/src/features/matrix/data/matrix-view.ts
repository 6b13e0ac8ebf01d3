import { findGpu, findGpuFamily } from '@inferboard/core/catalogue/index';
import type { Metric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import type { Matrix } from '../../../lib/api.ts';
import { basisText, columnUnit, formatInterval, formatPlural, formatValue } from '../../../lib/format.ts';
import { definitionGroupText, directionText, metricOf } from '../../../lib/metric-text.ts';
import {
  engineText,
  hardwareText,
  quantizationText,
  scenarioText,
  systemTitle,
  trustWords,
} from '../../../lib/words.ts';
import { exclusionText } from '../../board/data/exclusion-words.ts';
import { cataloguePage, scenarioTitle } from '../../catalogue/data/catalogue-links.ts';
import { comparedMax, compareHref } from '../../compare/data/compare-query.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';

export interface MatrixCell {
  value: string;
  /** "n 3, 95 % 197.73 to 198.39" */
  basis: string;
  /** The facts that the row and the column do not state: "batch 32 · w8a8". */
  context: string;
  href: string;
  label: string;
  /** Fraction of the largest value of its scale, 0 to 1: the length of the bar. Null if the scale has no other value. */
  share: number | null;
  isBest: boolean;
  trust: string;
  warnings: number;
  /** The publication of the value; null if it was not imported. */
  source: PublishedSource | null;
}

export interface MatrixRow {
  title: string;
  href: string | null;
  cells: (MatrixCell | null)[];
  /** URL of a comparison of the row's systems; null if fewer than two have a common measurement. */
  compareHref: string | null;
}

export interface MatrixView {
  metric: Metric;
  direction: string;
  definition: string | null;
  columns: { title: string; href: string | null }[];
  rows: MatrixRow[];
  /** The cells that a bar and "best" compare. */
  scale: 'column' | 'row' | 'table';
  /** Numbers of rows and columns that are not shown. */
  hidden: { rows: number; columns: number };
  exclusions: string[];
}

type Given = NonNullable<Matrix['cells'][number][number]>;

/** Values of different workloads are not comparable, and a small model is always faster: each of them has a separate scale. */
function scaleOf({ rows, columns }: Matrix): MatrixView['scale'] {
  for (const dimensions of [
    ['scenario', 'workload', 'load'],
    ['model', 'model_family'],
  ]) {
    if (dimensions.includes(columns.dimension)) return 'column';
    if (dimensions.includes(rows.dimension)) return 'row';
  }
  return 'table';
}

/** The hardware and engine that a cell does not share with its row or column: "RTX 4090 · vLLM", or "4 GPUs · vLLM" of a GPU. */
function deviceText(system: Given['system'], shown: ReadonlySet<string>): string | null {
  if (shown.has('system')) return null;
  if (!shown.has('gpu')) return hardwareText(system);
  const { gpu_count: count } = system;
  const isOfModel = system.model.name !== 'n/a';
  const parts = [
    count === null || count === 1 || shown.has('gpu_count') ? null : formatPlural(count, 'GPU'),
    isOfModel && !shown.has('engine') ? engineText(system) : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' · ');
}

/** The facts of a cell that neither its row, its column nor the common workload states. */
export function contextOf({ system, scenario, load }: Given, shown: ReadonlySet<string>): string {
  const parts = [
    shown.has('model') || shown.has('model_family') || shown.has('system') ? null : systemTitle(system),
    shown.has('quantization') || shown.has('system') ? null : quantizationText(system),
    deviceText(system, shown),
    shown.has('scenario') || shown.has('workload') ? null : scenarioText(scenario).title,
    shown.has('load') ? null : formatLoad(load),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

/** True for a family of GPUs: its cells are of results that do not state the variant. */
const isUnstatedVariant = (dimension: string, id: string): boolean =>
  dimension === 'gpu' && findGpu(id) === null && findGpuFamily(id) !== null;

/**
 * A scenario title includes the regime if all of its cells share one: "Chatbot, burst". A title of a family of GPUs differs from
 * those of its variants, which have their own cells.
 */
function headingTitle(
  dimension: string,
  { id, title }: { id: string; title: string },
  cells: readonly (Given | null)[],
): string {
  if (dimension === 'workload') return workloadTitle(id);
  if (isUnstatedVariant(dimension, id)) return `${title}, variant not stated`;
  if (dimension !== 'scenario') return title;
  const [workload, ...others] = new Set(cells.flatMap((cell) => cell?.workload?.id ?? []));
  return workload === undefined || others.length > 0 ? scenarioTitle(id) : workloadTitle(workload);
}

/** The rows and columns that a matrix shows at first, so that it is filled and fits a screen. */
const [rowsMax, columnsMax] = [15, 6];

/**
 * The columns with the most cells, these first, because a table that starts with empty columns looks empty; and the rows with the
 * most cells in them, in their order, those with a cell in the first column first.
 *
 * @param isWhole whether all rows and columns are shown
 * @param later columns that follow others with as many cells
 */
export function shownParts(
  cells: readonly (readonly unknown[])[],
  columnCount: number,
  isWhole: boolean,
  later: ReadonlySet<number> = new Set(),
): { rows: number[]; columns: number[] } {
  const isFilled = (row: number, column: number) => (cells[row]?.[column] ?? null) !== null;
  const all = [...cells.keys()];
  const filled = Array.from({ length: columnCount }, (_, column) => all.filter((row) => isFilled(row, column)).length);
  const order = [...filled.keys()].toSorted(
    (a, b) => (filled[b] ?? 0) - (filled[a] ?? 0) || Number(later.has(a)) - Number(later.has(b)),
  );
  if (isWhole) return { rows: all, columns: order };
  const rowsOf = (columns: readonly number[]) => {
    const cellsOf = (row: number) => columns.filter((column) => isFilled(row, column)).length;
    const most = all.toSorted((x, y) => cellsOf(y) - cellsOf(x)).slice(0, rowsMax);
    return most.filter((row) => cellsOf(row) > 0 || columns.length === columnCount);
  };
  // Each further column is the one with the most cells in the rows so far, so that the columns have rows in common.
  const columns = order.slice(0, 1);
  while (columns.length < Math.min(columnsMax, columnCount)) {
    const own = rowsOf(columns);
    const others = order.filter((column) => !columns.includes(column));
    const cellsIn = (column: number) => own.filter((row) => isFilled(row, column)).length;
    columns.push(...others.toSorted((x, y) => cellsIn(y) - cellsIn(x)).slice(0, 1));
  }
  // On a phone only the first columns are visible: rows that are empty there come last.
  const [first = 0] = columns;
  const rows = rowsOf(columns).toSorted((a, b) => Number(isFilled(b, first)) - Number(isFilled(a, first)) || a - b);
  return { rows, columns };
}

/** URL of a comparison of a row's systems that were measured at the same workload and load; null if fewer than two were. */
function rowComparison(cells: readonly (Given | null)[]): string | null {
  const stated = cells.filter((cell) => cell !== null);
  const groups = [...Map.groupBy(stated, ({ scenario, load }) => JSON.stringify([scenario, load])).values()].map(
    (group) => [...new Set(group.map(({ system }) => system.id))],
  );
  const [ids = []] = groups.toSorted((a, b) => b.length - a.length);
  return ids.length < 2 ? null : compareHref({ ids: ids.slice(0, comparedMax), metric: null, filters: [] });
}

/** The view of a matrix, by default with all rows and columns; null for a metric that this build of the site does not know. */
export function toMatrixView(matrix: Matrix, isWhole = true): MatrixView | null {
  const metric = metricOf(matrix.metric);
  if (metric === null) return null;
  const unit = columnUnit(metric.family.unit);
  const scale = scaleOf(matrix);
  const { dimension, headings } = matrix.columns;
  const unstated = [...headings.keys()].filter((at) => isUnstatedVariant(dimension, headings[at]?.id ?? ''));
  const { rows, columns: order } = shownParts(matrix.cells, headings.length, isWhole, new Set(unstated));
  const common = matrix.workload === null ? [] : ['workload'];
  const shown: ReadonlySet<string> = new Set([matrix.rows.dimension, matrix.columns.dimension, ...common]);
  const peers = (row: number, column: number): number[] =>
    matrix.cells.flatMap((cells, r) =>
      cells.flatMap((cell, c) =>
        cell === null || (scale === 'column' && c !== column) || (scale === 'row' && r !== row) ? [] : [cell.value],
      ),
    );
  const best = matrix.order === 'asc' ? Math.min : Math.max;
  const toCell = (cell: Given, row: number, column: number): MatrixCell => {
    const values = peers(row, column);
    const { n, ci95 } = cell.statistics;
    return {
      value: formatValue(cell.value, unit, { ci95 }) ?? '',
      basis: basisText(n, formatInterval(cell.value, unit, ci95)),
      context: contextOf(cell, shown),
      href: `/systems/${cell.system.id}`,
      label: cell.system.label,
      share: values.length > 1 ? cell.value / Math.max(...values, Number.MIN_VALUE) : null,
      isBest: values.length > 1 && cell.value === best(...values),
      trust: trustWords[cell.trust].label,
      warnings: cell.warnings,
      source: publishedSource(cell.source),
    };
  };
  return {
    metric,
    direction: directionText(metric),
    definition: definitionGroupText(metric, matrix.definition?.id ?? null),
    columns: order.flatMap((column) => {
      const heading = headings[column];
      if (heading === undefined) return [];
      const title = headingTitle(
        dimension,
        heading,
        matrix.cells.map((row) => row[column] ?? null),
      );
      return [{ title, href: cataloguePage(dimension, heading.id) }];
    }),
    rows: rows.flatMap((row) => {
      const heading = matrix.rows.headings[row];
      const cells = matrix.cells[row] ?? [];
      if (heading === undefined) return [];
      const shown = {
        title: headingTitle(matrix.rows.dimension, heading, cells),
        href:
          matrix.rows.dimension === 'system'
            ? `/systems/${heading.id}`
            : cataloguePage(matrix.rows.dimension, heading.id),
        cells: order.map((column) => {
          const cell = cells[column] ?? null;
          return cell === null ? null : toCell(cell, row, column);
        }),
        compareHref: rowComparison(cells),
      };
      return [shown];
    }),
    scale,
    hidden: {
      rows: matrix.rows.headings.length - rows.length,
      columns: matrix.columns.headings.length - order.length,
    },
    exclusions: Object.entries(matrix.excluded).flatMap(([reason, count]) =>
      count > 0 ? [exclusionText(reason, count, matrix.excluded_at_least)] : [],
    ),
  };
}
