import { trustLevels } from '@inferboard/core/result';
import type { Entry } from './api.ts';
import { type BoardQuery, boardHref } from './board-query.ts';
import { rowName, scenarioText } from './words.ts';

/** Columns without a metric that rows can stand by. Metrics rank the board instead. */
export const sortColumns = ['system', 'scenario', 'n', 'spread', 'trust', 'findings'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** A column and the direction its values go on the page. */
export interface Arrangement {
  column: SortColumn;
  direction: 'ascending' | 'descending';
}

type Key = string | number | null;
type ToKey = (entry: Entry, subject: string | null) => Key;

/** Where a click begins: the first of texts and doubts, the most of what speaks for a figure. */
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
  // The list begins with what is backed best.
  trust: ({ trust }) => -trustLevels.indexOf(trust),
  findings: ({ findings }) => findings,
};

const opposite = (direction: Arrangement['direction']) => (direction === 'ascending' ? 'descending' : 'ascending');

/** What `sort` in a URL says; null where rows stand by rank, or by a column there is not. */
export function readArrangement(sort: string | null): Arrangement | null {
  const column = sortColumns.find((name) => name === sort?.replace(/^-/, ''));
  if (column === undefined) return null;
  return { column, direction: sort?.startsWith('-') ? opposite(begins[column]) : begins[column] };
}

/** The page with its rows by this column; where they are already, from its other end. */
export function sortHref(query: BoardQuery, column: SortColumn): string {
  return boardHref({ ...query, sort: query.sort === column ? `-${column}` : column });
}

function compare(a: Key, b: Key): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** Rows in another order, equal ones by rank; those without a value of the column stand last either way. */
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
