import type { System } from '../../../lib/api.ts';
import type { QuantizationVariants } from '../../catalogue/data/catalogue-speedups.ts';
import type { RankingView } from './matrix-ranking.ts';
import type { OverviewRow } from './ranking-overview.ts';

/** The rows and columns of the overview, and the open tables, that the page shows at first. */
const [rowsMax, columnsMax, openMax] = [14, 7, 4];
/** Maximum number of rows of a table that is open or folded at first. The page links longer ones. */
const tableRowsMax = 12;

export interface ShownOverview {
  columns: RankingView['columns'];
  rows: OverviewRow[];
  /** Number of systems that are not shown. */
  hidden: number;
}

/** The columns with the most speed-ups, and the rows that have them. Columns without any say nothing. */
export function shownOverview(
  { columns, overview, comparable }: Pick<RankingView, 'columns' | 'overview' | 'comparable'>,
  isWhole: boolean,
): ShownOverview {
  const counts = columns.map((_, column) => overview.filter(({ cells }) => (cells[column] ?? null) !== null).length);
  const used = [...counts.keys()].filter((column) => (counts[column] ?? 0) > 0);
  const most = used.toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0));
  const chosen = isWhole ? used : most.slice(0, columnsMax).toSorted((a, b) => a - b);
  const filled = overview
    .map((row) => ({ ...row, cells: chosen.map((column) => row.cells[column] ?? null) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  const rows = isWhole ? filled : filled.slice(0, rowsMax);
  return {
    columns: chosen.flatMap((column) => columns[column] ?? []),
    rows,
    hidden: comparable - rows.length,
  };
}

/** The items in their order, those with a named model first: an unspecified model compares only with itself. */
export function namedModelsFirst<T>(items: readonly T[], systemsOf: (item: T) => readonly System[]): T[] {
  const isNamed = (item: T) => systemsOf(item).some(({ model }) => model.id !== null);
  return items.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
}

/** Number of systems of some groups, with their baselines. */
export const sizeOf = (kin: readonly QuantizationVariants[]): number =>
  kin.reduce((sum, { others }) => sum + 1 + others.length, 0);

/** The groups that the page shows at first: those of its tables, and the first ones of the overview. Each costs a comparison. */
export function shownKin(kin: readonly QuantizationVariants[], systems: ReadonlySet<string>): QuantizationVariants[] {
  return kin.filter(({ others }, at) => sizeOf(kin.slice(0, at)) < rowsMax || others.some(({ id }) => systems.has(id)));
}

/** The tables that are open at first, the folded ones, and the long ones, which the page links. */
export function foldedTables<T extends { rows: readonly unknown[] }>(
  tables: readonly T[],
  isWhole: boolean,
): { open: T[]; folded: T[]; linked: T[] } {
  if (isWhole || tables.length <= openMax) return { open: [...tables], folded: [], linked: [] };
  const isShort = ({ rows }: T) => rows.length <= tableRowsMax;
  const short = tables.filter(isShort);
  if (short.length === 0) return { open: tables.slice(0, openMax), folded: [], linked: tables.slice(openMax) };
  return {
    open: short.slice(0, openMax),
    folded: short.slice(openMax),
    linked: tables.filter((table) => !isShort(table)),
  };
}
