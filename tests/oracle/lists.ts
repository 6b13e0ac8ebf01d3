import type { TestApp } from '../../apps/api/src/testing/index.ts';
import { askPages, compareKeys } from './ask.ts';
import {
  type Filters,
  meetsBounds,
  meetsFacts,
  meetsOrigin,
  meetsOriginOf,
  meetsStatus,
  meetsTrust,
  toQuery,
} from './filters.ts';
import type { Standing } from './points.ts';
import { makeFilters } from './questions.ts';
import type { Random } from './random.ts';
import type { ResultView, Row } from './rows.ts';

export interface World {
  app: TestApp;
  rows: readonly Row[];
  standings: readonly Standing[];
}

/** A page limit that splits a list of this length into a few pages, one page, or one page for each entry. */
export function limitFor(random: Random, size: number): number {
  const pages = size < 12 && random.chance(0.3) ? size : random.pick([1, 1, 2, 3, 5]);
  return Math.min(200, Math.max(1, Math.ceil(size / Math.max(1, pages))));
}

function meets(filters: Filters, row: Row): boolean {
  return (
    meetsStatus(filters, row.status) &&
    meetsTrust(filters, row.trust) &&
    meetsFacts(filters, row) &&
    meetsOrigin(filters, row) &&
    meetsBounds(filters, (metric) => row.values[metric])
  );
}

/** Usual maximum number of results in a response. */
const resultsMax = 150;

/** All results that meet the filters, newest first. */
export async function checkResults({ app, rows }: World, random: Random): Promise<string[]> {
  let filters = makeFilters(random, rows);
  let wanted = rows.filter((row) => meets(filters, row)).map(({ id }) => id);
  // Paging through everything counts as one query and takes the time of fifty.
  while (wanted.length > resultsMax && !random.chance(0.01)) {
    filters = makeFilters(random, rows);
    wanted = rows.filter((row) => meets(filters, row)).map(({ id }) => id);
  }
  const { items } = await askPages<ResultView>(app, '/v1/results', toQuery(filters), limitFor(random, wanted.length));
  const found = items.map(({ id }) => id);
  const isNewestFirst = found.every((id, place) => place === 0 || id < (found[place - 1] ?? ''));
  const disagreements = compareKeys('results', found, wanted);
  if (!isNewestFirst) disagreements.push('results: not newest first');
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, status, trust, metrics, derived } of items) {
    const row = byId.get(id);
    if (row === undefined) continue;
    const values = Object.entries({ ...metrics, ...derived }).filter(([, value]) => value !== null);
    const isSame =
      values.length === Object.keys(row.values).length && values.every(([name, value]) => row.values[name] === value);
    if (!isSame || status !== row.status || trust !== row.trust) disagreements.push(`results: ${id} differs`);
  }
  return disagreements;
}

/** Lists a point if one of its variants meets all conditions at once. */
function hasVariant(filters: Filters, standing: Standing): boolean {
  return (
    meetsStatus(filters, standing.status) &&
    meetsTrust(filters, standing.trust) &&
    meetsFacts(filters, standing.first) &&
    standing.variants.some(
      (variant) =>
        meetsOriginOf(filters, standing, variant, null) &&
        meetsBounds(filters, (metric) => variant.figures[metric]?.mean),
    )
  );
}

interface SystemItem {
  id: string;
  label: string;
  point_count: number;
}

/** All systems with a point that meets the filters, and the number of those points. */
export async function checkSystems({ app, rows, standings }: World, random: Random): Promise<string[]> {
  const filters = makeFilters(random, rows);
  const bySystem = Map.groupBy(
    standings.filter((standing) => hasVariant(filters, standing)),
    ({ first }) => first.systemId,
  );
  const { items } = await askPages<SystemItem>(app, '/v1/systems', toQuery(filters), limitFor(random, bySystem.size));
  const disagreements = compareKeys(
    'systems',
    items.map(({ id }) => id),
    [...bySystem.keys()],
  );
  const again = await askPages<SystemItem>(app, '/v1/systems', toQuery(filters), 200);
  if (again.items.map(({ id }) => id).join() !== items.map(({ id }) => id).join())
    disagreements.push('systems: another order by another limit');
  for (const { id, point_count: count } of items) {
    const points = new Set(bySystem.get(id)?.map(({ point }) => point)).size;
    if (points !== count) disagreements.push(`systems: ${id} has ${points} points, not ${count}`);
  }
  return disagreements;
}
