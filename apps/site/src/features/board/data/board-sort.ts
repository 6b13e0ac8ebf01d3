import { trustLevels } from '@inferboard/core/subjects/result';
import type { Entry } from '../../../lib/api.ts';
import { rowName, scenarioText } from '../../../lib/words.ts';
import { type BoardQuery, boardHref } from './board-query.ts';

/** Sortable columns without a metric. Sorting by a metric changes the ranking instead. */
export const sortColumns = ['system', 'scenario', 'n', 'spread', 'trust', 'findings'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** A column and its sort direction on the page. */
export interface Arrangement {
  column: SortColumn;
  direction: 'ascending' | 'descending';
}

type Key = string | number | null;
type ToKey = (entry: Entry, subject: string | null) => Key;

/** Direction of the first click: ascending for texts, scatter and findings, descending for counts and trust. */
const begins: Record<SortColumn, Arrangement['direction']> = {
  system: 'ascending',
  scenario: 'ascending',
  n: 'descending',
  spread: 'ascending',
  trust: 'descending',
  findings: 'ascending',
};

const keys: Record<SortColumn, ToKey> = {
  system: ({ system }, subject) => {
    const { title, tag } = rowName(system, subject);
    return `${title} ${tag ?? ''} ${system.label}`;
  },
  scenario: ({ scenario, load }) => `${scenarioText(scenario).title} ${load.mode} ${String(load.level).padStart(9)}`,
  n: ({ statistics }) => statistics.n,
  spread: ({ statistics }) => statistics.cv,
  // The trust levels start with the highest.
  trust: ({ trust }) => -trustLevels.indexOf(trust),
  findings: ({ findings }) => findings,
};

const opposite = (direction: Arrangement['direction']) => (direction === 'ascending' ? 'descending' : 'ascending');

/** Parses `sort` of a URL; null for the order by rank or an unknown column. */
export function readArrangement(sort: string | null): Arrangement | null {
  const column = sortColumns.find((name) => name === sort?.replace(/^-/, ''));
  if (column === undefined) return null;
  return { column, direction: sort?.startsWith('-') ? opposite(begins[column]) : begins[column] };
}

/** URL of the page sorted by this column; in reverse if it is already sorted by it. */
export function sortHref(query: BoardQuery, column: SortColumn): string {
  return boardHref({ ...query, sort: query.sort === column ? `-${column}` : column });
}

function compare(a: Key, b: Key): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** Sorts rows; equal ones keep the order by rank. Rows without a value are last in both directions. */
export function arrange(
  entries: readonly Entry[],
  arrangement: Arrangement | null,
  subject: string | null,
): readonly Entry[] {
  if (arrangement === null) return entries;
  const key = keys[arrangement.column];
  const turn = arrangement.direction === 'ascending' ? 1 : -1;
  return entries.toSorted((first, second) => {
    const [a, b] = [key(first, subject), key(second, subject)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return turn * compare(a, b);
  });
}
