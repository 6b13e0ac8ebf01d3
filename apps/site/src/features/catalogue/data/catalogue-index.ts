import type { CatalogueItem } from '../../../lib/api.ts';
import { toCsv } from '../../../lib/csv.ts';
import { formatCount } from '../../../lib/format.ts';
import { type FactText, factTexts, type Kind, scenarioFacts } from './catalogue-facts.ts';
import { scenarioTitle } from './catalogue-links.ts';
import { describeScenario } from './catalogue-scenario.ts';
import { familyMembers, familyPoints } from './gpu-families.ts';
import { groupOfScenario, type ScenarioGroup, scenarioGroups } from './scenario-groups.ts';

export interface IndexRow {
  id: string;
  name: string;
  href: string;
  points: number;
  /** What the points of a GPU family include; null for other entries. */
  note: string | null;
  /** Facts in the order of the kind's columns; null if the catalogue does not have the entry. */
  facts: (FactText | null)[];
  /** Group of a scenario; null for other entries. */
  group: ScenarioGroup | null;
}

const waived: ReadonlySet<string> = new Set(['n/a', 'unspecified']);

/** Whether a value in use is a name: results can leave a fact unspecified. */
export const isNamed = ({ id }: CatalogueItem): boolean => !waived.has(id);

/** Whether it is a family of a single device, which has a separate entry with all results. */
const isLoneFamily = (kind: Kind, { id, points }: CatalogueItem): boolean =>
  kind.fact === 'gpu' && (points ?? 0) === 0 && kind.factsOf(id) === null && familyMembers(id).length === 1;

/** The points of an entry. The points of a GPU family include its variants, as on the page of the family. */
function pointsOf(kind: Kind, item: CatalogueItem, items: readonly CatalogueItem[]): Pick<IndexRow, 'points' | 'note'> {
  const own = item.points ?? 0;
  const members = kind.fact === 'gpu' ? familyMembers(item.id) : [];
  if (members.length < 2 || kind.factsOf(item.id) !== null) return { points: own, note: null };
  const { total } = familyPoints(item.id, items);
  return { points: total, note: `all variants; ${formatCount(own)} of them without a stated variant` };
}

/** A measured workload, as the API lists it. */
export interface ListedWorkload {
  shape: string;
  kind: string;
  input_tokens: number | null;
  output_tokens: number | null;
  dataset: string | null;
  depth: number | null;
}

/** A workload of a catalogue list; empty for other entries. */
export const toWorkload = (item: CatalogueItem): ListedWorkload[] =>
  'shape' in item ? [item as CatalogueItem & ListedWorkload] : []; // the client's type is the union of all lists

const kindOfShape = (id: string, workloads: readonly ListedWorkload[]): string | null =>
  workloads.find(({ shape }) => shape === id)?.kind ?? null;

/** The facts of a scenario that the catalogue does not have, from its measured workloads. */
function measuredFacts(id: string, workloads: readonly ListedWorkload[]): FactText[] {
  const used = workloads.find(({ shape }) => shape === id);
  if (used === undefined) return [];
  const { input_tokens: input, output_tokens: output, dataset, depth, kind } = used;
  const lengths = input === null && output === null ? null : { id, input_tokens: input, output_tokens: output };
  const described =
    kind === 'kernel'
      ? 'A standalone attention kernel.'
      : lengths === null
        ? null
        : describeScenario(id, { ...lengths, dataset: null, depth, kernel: null });
  return factTexts(scenarioFacts, {
    ...{ id, title: id, aliases: [], description: described, batch: null },
    ...{ inputTokens: input, outputTokens: output, dataset },
  });
}

/**
 * All entries, those with results first.
 *
 * @param workloads the measured workloads, for scenarios that the catalogue does not have
 */
export function toIndexRows(
  kind: Kind,
  items: readonly CatalogueItem[],
  workloads: readonly ListedWorkload[] = [],
): IndexRow[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  // Digits are grouped in names: "2,000 → 100 tokens".
  const byName = (a: string, b: string) => compare(a.replaceAll(',', ''), b.replaceAll(',', ''));
  return items
    .filter(isNamed)
    .filter((item) => !isLoneFamily(kind, item))
    .map((item) => {
      const known = kind.factsOf(item.id) ?? measuredFacts(item.id, workloads);
      // A data set that gave the scenario its name is not repeated.
      const facts = new Map(known.filter(({ value }) => value !== item.id).map((fact) => [fact.key, fact]));
      return {
        id: item.id,
        name: kind.fact === 'scenario' ? scenarioTitle(item.id) : item.name,
        href: `/${kind.folder}/${encodeURIComponent(item.id)}`,
        ...pointsOf(kind, item, items),
        facts: kind.columns.map(({ key }) => facts.get(key) ?? null),
        group: kind.fact === 'scenario' ? groupOfScenario(item.id, known, kindOfShape(item.id, workloads)) : null,
      };
    })
    .toSorted((a, b) => Number(b.points > 0) - Number(a.points > 0) || byName(a.name, b.name));
}

/** Rows by group, with the title of each group; a single group without a title for lists that have no groups. */
export function groupRows(rows: readonly IndexRow[]): { title: string | null; rows: IndexRow[] }[] {
  const groups = [
    { title: null, rows: rows.filter(({ group }) => group === null) },
    ...scenarioGroups.map(({ id, title }) => ({ title, rows: rows.filter(({ group }) => group === id) })),
  ];
  return groups.filter((group) => group.rows.length > 0);
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
