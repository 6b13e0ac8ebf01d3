import { DomainError } from '../errors.ts';
import { type Metric, unrankedGroups } from '../metrics/index.ts';
import { bySystems, type Choice } from './choice.ts';

/** Formulas with comparable values. */
export interface ChosenDefinitions {
  group: string;
  ids: readonly string[];
}

/** The groups of a metric's formulas, in registry order. */
export function groupsOf({ family }: Metric): ChosenDefinitions[] {
  const groups = Map.groupBy(family.definitions, ({ group }) => group);
  return [...groups].map(([group, definitions]) => ({ group, ids: definitions.map(({ id }) => id) }));
}

const rankedGroupsOf = (metric: Metric): ChosenDefinitions[] => {
  const unranked = unrankedGroups(metric.family);
  return groupsOf(metric).filter(({ group }) => !unranked.includes(group));
};

/** Finds a group by its name or by one of its formulas; null if the metric has no such group. */
export function findGroup(metric: Metric, asked: string): ChosenDefinitions | null {
  const groups = groupsOf(metric);
  return groups.find(({ group }) => group === asked) ?? groups.find(({ ids }) => ids.includes(asked)) ?? null;
}

/**
 * Returns the group that `definition` requests for each metric.
 *
 * @throws DomainError `request_invalid` if no metric has it, or if its values are not ranked
 */
export function askedGroups(metrics: readonly Metric[], asked: string | null): (ChosenDefinitions | null)[] {
  if (asked === null) return metrics.map(() => null);
  const found = metrics.map((metric) => findGroup(metric, asked));
  const reason = metrics.flatMap(({ family }, at) =>
    family.definitions.flatMap(({ group, unranked = [] }) => (group === found[at]?.group ? unranked : [])),
  )[0];
  if (metrics.length === 0 || (reason === undefined && found.some((group) => group !== null))) return found;
  const names = metrics.map(({ title }) => title).join(' and ');
  const message =
    reason === undefined
      ? `Unknown formula "${asked}" of ${names}.`
      : `The formula "${asked}" is not ranked. ${reason}`;
  const known = metrics.flatMap((metric) => rankedGroupsOf(metric).map(({ group }) => group));
  const hint = known.length === 0 ? 'There is only one formula. Omit definition.' : `Formulas: ${known.join(', ')}.`;
  throw new DomainError('request_invalid', message, [
    {
      code: reason === undefined ? 'definition_unknown' : 'definition_unranked',
      parameter: 'definition',
      message,
      hint,
    },
  ]);
}

/** Number of systems with values by a combination of groups, one group per metric; '' if no formula is recorded. */
export interface CountedGroups {
  groups: readonly string[];
  systems: number;
}

/**
 * Chooses the ranked group of each metric: the combination that the most systems have, preferred groups first in a tie. A
 * recorded formula precedes an unrecorded one.
 */
export function chooseGroups(
  metrics: readonly Metric[],
  counted: readonly CountedGroups[],
): (ChosenDefinitions | null)[] {
  const known = metrics.map(groupsOf);
  const placeOf = (group: string, at: number) => {
    const place = known[at]?.findIndex((one) => one.group === group) ?? -1;
    return place < 0 ? -1 : place;
  };
  const recorded = ({ groups }: CountedGroups) => groups.filter((group) => group !== '').length;
  const compare = (a: CountedGroups, b: CountedGroups): number => {
    const apart = recorded(b) - recorded(a) || b.systems - a.systems;
    if (apart !== 0) return apart;
    const at = a.groups.findIndex((group, place) => group !== b.groups[place]);
    return at < 0 ? 0 : placeOf(a.groups[at] ?? '', at) - placeOf(b.groups[at] ?? '', at);
  };
  const [best] = counted.filter(({ systems }) => systems > 0).toSorted(compare);
  return metrics.map((_, at) => known[at]?.find(({ group }) => group === best?.groups[at]) ?? null);
}

/** Describes the chosen formulas of a metric and the alternatives; null if nothing was chosen. */
export function describeDefinition(
  metric: Metric,
  counted: ReadonlyMap<string, number>,
  { chosen, asked }: { chosen: ChosenDefinitions | null; asked: ChosenDefinitions | null },
): Choice | null {
  if (chosen === null) return null;
  const all = groupsOf(metric).map(({ group: id }) => ({ id, systems: counted.get(id) ?? 0 }));
  const there = bySystems(all, () => 0);
  return {
    id: chosen.group,
    because: asked === null ? 'most_systems' : 'asked',
    systems: there.find(({ id }) => id === chosen.group)?.systems ?? 0,
    others: there.filter(({ id }) => id !== chosen.group),
  };
}
