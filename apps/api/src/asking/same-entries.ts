import type { QuestionFilters } from '@inferboard/core/questions/index';
import { type Compared, type EngineSettings, hasSameSettings } from '@inferboard/core/series/same-settings';
import { type ComparedEntry, hasFacts } from './held-facts.ts';

interface LoadedEntry extends ComparedEntry {
  load: { mode: string; level: number | null };
}

/** An entry of a side with the settings of its system. */
export interface SetEntry extends LoadedEntry {
  system: ComparedEntry['system'] & { id: string };
  settings: EngineSettings;
}

/** A system that was measured at few requests is not compared with one at many: their best points are unlike. */
const levelRatioMost = 2;

const isWithinRatio = (one: number, other: number) => Math.max(one, other) <= levelRatioMost * Math.min(one, other);

/** True if two entries have the same mode of load and levels that differ at most twofold, in total and per GPU. */
export function hasSimilarLoad(one: LoadedEntry, other: LoadedEntry): boolean {
  const [{ mode, level }, { level: otherLevel }] = [one.load, other.load];
  if (mode !== other.load.mode) return false;
  if (level === null || otherLevel === null) return level === otherLevel;
  const [count, otherCount] = [one.system.gpu_count, other.system.gpu_count];
  return (
    isWithinRatio(level, otherLevel) &&
    (count === null || otherCount === null || isWithinRatio(level / count, otherLevel / otherCount))
  );
}

/** How alike the chosen systems are, the most alike first. */
export const likenesses = ['same', 'same_load', 'same_settings', 'similar_load', 'unlike'] as const;
export type Likeness = (typeof likenesses)[number];

/** The most alike choice, the first of equal ones. */
export const mostAlike = <T extends { likeness: Likeness }>(choices: readonly T[]): T | undefined =>
  likenesses.flatMap((likeness) => choices.find((one) => one.likeness === likeness) ?? [])[0];

/** The chosen system of each side. */
export interface Chosen {
  ids: (string | null)[];
  /** Number of entries with the facts to list until each side has its system. */
  depth: number;
  /** The loads of the chosen entries. */
  loads: SetEntry['load'][];
  likeness: Likeness;
}

/** The facts of engines that the sides are compared by: more GPUs need more parallelism. */
export function comparedBy(sides: readonly QuestionFilters[]): Set<Compared> {
  const names = new Set(sides.flatMap((side) => Object.keys(side)));
  return new Set([
    ...(names.has('engine') ? (['engine'] as const) : []),
    ...(names.has('engine_version') ? (['engineVersion'] as const) : []),
    ...(names.has('gpu_count') ? (['parallelism'] as const) : []),
  ]);
}

type IsAlike = (one: SetEntry, other: SetEntry) => boolean;

/** The places of the entries with the best ranks of which each two are alike, one of each side. */
function findPlaces(sides: readonly (readonly SetEntry[])[], isAlike: IsAlike): number[] | undefined {
  const [first = [], ...others] = sides;
  return first
    .map((entry, place) => {
      const taken = [entry];
      const places = others.map((side) => {
        const at = side.findIndex((other) => taken.every((one) => isAlike(other, one)));
        taken.push(...side.slice(at).slice(0, at < 0 ? 0 : 1));
        return at;
      });
      return [place, ...places];
    })
    .filter((places) => !places.includes(-1))
    .sort((a, b) => sumOf(a) - sumOf(b))[0];
}

/**
 * Chooses an entry of each side with the facts: those with the best ranks that have the same settings and the same load, else the
 * same load, else the same settings and similar loads, else similar loads, else the best of each.
 */
export function chooseEntries(
  sides: readonly (readonly SetEntry[])[],
  held: QuestionFilters,
  compared: ReadonlySet<Compared>,
): Chosen {
  const having = sides.map((entries) => entries.filter((entry) => hasFacts(entry, held)));
  const hasSame: IsAlike = (one, other) => hasSameSettings(one.settings, other.settings, compared);
  const hasSameLoad: IsAlike = (one, other) => one.load.level === other.load.level && hasSimilarLoad(one, other);
  const tests: Record<Likeness, IsAlike> = {
    same: (one, other) => hasSameLoad(one, other) && hasSame(one, other),
    same_load: hasSameLoad,
    same_settings: (one, other) => hasSimilarLoad(one, other) && hasSame(one, other),
    similar_load: hasSimilarLoad,
    unlike: () => true,
  };
  for (const likeness of likenesses) {
    const places = findPlaces(having, tests[likeness]);
    if (places === undefined) continue;
    const chosen = having.map((side, at) => side[places[at] ?? 0]);
    return {
      ids: chosen.map((entry) => entry?.system.id ?? null),
      depth: Math.max(...places) + 1,
      loads: chosen.flatMap((entry) => entry?.load ?? []),
      likeness,
    };
  }
  return { ids: sides.map(() => null), depth: 1, loads: [], likeness: 'unlike' };
}

const sumOf = (places: readonly number[]) => places.reduce((sum, place) => sum + place, 0);
