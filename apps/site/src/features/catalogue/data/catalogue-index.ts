import type { CatalogueItem } from '../../../lib/api.ts';
import { toCsv } from '../../../lib/csv.ts';
import { type FactText, familyMembers, type Kind } from './catalogue-facts.ts';

export interface IndexRow {
  id: string;
  name: string;
  href: string;
  points: number;
  /** Facts in the order of the kind's columns; null if the catalogue does not have the entry. */
  facts: (FactText | null)[];
}

const waived: ReadonlySet<string> = new Set(['n/a', 'unspecified']);

/** Whether a value in use is a name: results can leave a fact unspecified. */
export const isNamed = ({ id }: CatalogueItem): boolean => !waived.has(id);

/** Whether it is a family of a single device, which has a separate entry with all results. */
const isLoneFamily = (kind: Kind, { id, points }: CatalogueItem): boolean =>
  kind.fact === 'gpu' && (points ?? 0) === 0 && kind.factsOf(id) === null && familyMembers(id).length === 1;

/** All entries, those with results first. */
export function toIndexRows(kind: Kind, items: readonly CatalogueItem[]): IndexRow[] {
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  return items
    .filter(isNamed)
    .filter((item) => !isLoneFamily(kind, item))
    .map((item) => {
      const facts = new Map((kind.factsOf(item.id) ?? []).map((fact) => [fact.key, fact]));
      return {
        id: item.id,
        name: item.name,
        href: `/${kind.folder}/${encodeURIComponent(item.id)}`,
        points: item.points ?? 0,
        facts: kind.columns.map(({ key }) => facts.get(key) ?? null),
      };
    })
    .toSorted((a, b) => Number(b.points > 0) - Number(a.points > 0) || byName(a.name, b.name));
}

/** The whole list of a kind as CSV, with all known facts. */
export function indexCsv(kind: Kind, items: readonly CatalogueItem[]): string {
  const named = items.filter(isNamed);
  const keys =
    named
      .map(({ id }) => kind.factsOf(id))
      .find((facts) => facts !== null)
      ?.map(({ key }) => key) ?? [];
  const rows = named.map((item) => {
    const facts = new Map((kind.factsOf(item.id) ?? []).map(({ key, value }) => [key, value]));
    return [item.id, item.name, item.points ?? 0, ...keys.map((key) => facts.get(key))];
  });
  return toCsv(['id', 'name', 'points', ...keys], rows);
}
