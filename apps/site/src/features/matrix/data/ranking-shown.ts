import type { OverviewRow, RankingTable, RankingView } from './matrix-ranking.ts';

/** The rows and columns of the overview, and the open tables, that the page shows at first. */
const [rowsMax, columnsMax, openMax] = [14, 7, 4];
/** Maximum number of rows of a table that is open at first. */
const openRowsMax = 12;

export interface ShownOverview {
  columns: Pick<RankingTable, 'title' | 'load'>[];
  rows: OverviewRow[];
  /** Number of rows that are not shown. */
  hidden: number;
}

/** The columns with the most speed-ups, and the rows that have them. Columns without any say nothing. */
export function shownOverview(
  { tables, overview }: Pick<RankingView, 'tables' | 'overview'>,
  isWhole: boolean,
): ShownOverview {
  const counts = tables.map((_, column) => overview.filter(({ cells }) => (cells[column] ?? null) !== null).length);
  const used = [...counts.keys()].filter((column) => (counts[column] ?? 0) > 0);
  const most = used.toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0));
  const chosen = isWhole ? used : most.slice(0, columnsMax).toSorted((a, b) => a - b);
  const filled = overview
    .map((row) => ({ ...row, cells: chosen.map((column) => row.cells[column] ?? null) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  const rows = isWhole ? filled : filled.slice(0, rowsMax);
  return {
    columns: chosen.flatMap((column) => tables[column] ?? []),
    rows,
    hidden: overview.length - rows.length,
  };
}

/** The tables that are open at first, with the most systems first to fold, and the folded ones. */
export function foldedTables(tables: readonly RankingTable[], isWhole: boolean): [RankingTable[], RankingTable[]] {
  if (isWhole || tables.length <= openMax) return [[...tables], []];
  const short = tables.filter(({ rows }) => rows.length <= openRowsMax);
  const open = new Set((short.length === 0 ? tables : short).slice(0, openMax));
  return [tables.filter((table) => open.has(table)), tables.filter((table) => !open.has(table))];
}
