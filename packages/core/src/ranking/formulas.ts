import { DomainError } from '../errors.ts';
import type { Metric } from '../metrics/index.ts';

/** Formulas whose values may be ranked together. */
export interface ChosenDefinitions {
  group: string;
  ids: readonly string[];
}

/** The groups of a metric's formulas, in the order of the registry. */
export function groupsOf({ family }: Metric): ChosenDefinitions[] {
  const groups = Map.groupBy(family.definitions, ({ group }) => group);
  return [...groups].map(([group, definitions]) => ({ group, ids: definitions.map(({ id }) => id) }));
}

/** The group that is asked for by its name or by one of its formulas; null where the metric has no such group. */
export function findGroup(metric: Metric, asked: string): ChosenDefinitions | null {
  const groups = groupsOf(metric);
  return groups.find(({ group }) => group === asked) ?? groups.find(({ ids }) => ids.includes(asked)) ?? null;
}

/** 1 for each code that takes part; all do where nothing was chosen. */
export function comparableCodes(ids: readonly string[], chosen: ChosenDefinitions | null): Uint8Array {
  return Uint8Array.from(ids, (id) => (chosen === null || chosen.ids.includes(id) ? 1 : 0));
}

/**
 * Of each metric the group that `definition` asks for.
 *
 * @throws DomainError `request_invalid` where none of them has it
 */
export function askedGroups(metrics: readonly Metric[], asked: string | null): (ChosenDefinitions | null)[] {
  if (asked === null) return metrics.map(() => null);
  const found = metrics.map((metric) => findGroup(metric, asked));
  if (metrics.length === 0 || found.some((group) => group !== null)) return found;
  const names = metrics.map(({ title }) => title).join(' and ');
  const message = `No formula of ${names} is called "${asked}".`;
  const known = metrics.flatMap((metric) => groupsOf(metric).map(({ group }) => group));
  const hint =
    known.length === 0 ? 'There is only one formula: leave definition out.' : `Known are ${known.join(', ')}.`;
  throw new DomainError('request_invalid', message, [
    { code: 'definition_unknown', parameter: 'definition', message, hint },
  ]);
}
