import type { QuestionFilters } from '@inferboard/core/questions/index';
import { type Compared, type EngineSettings, hasSameSettings } from '@inferboard/core/series/same-settings';
import { type ComparedEntry, hasFacts } from './held-facts.ts';

/** An entry of a side with the settings of its system. */
export interface SetEntry extends ComparedEntry {
  system: ComparedEntry['system'] & { id: string };
  load: { mode: string; level: number | null };
  settings: EngineSettings;
}

/** A system that was measured at few requests is not compared with one at many: their best points are unlike. */
const levelRatioMost = 4;

function hasSimilarLoad({ load: a }: SetEntry, { load: b }: SetEntry): boolean {
  if (a.mode !== b.mode) return false;
  if (a.level === null || b.level === null) return a.level === b.level;
  return Math.max(a.level, b.level) <= levelRatioMost * Math.min(a.level, b.level);
}

/** The chosen system of each side. */
export interface Chosen {
  ids: (string | null)[];
  /** Number of entries with the facts to list until each side has its system. */
  depth: number;
  /** Whether the systems have the same settings, where they state them. */
  isSame: boolean;
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

/**
 * Chooses an entry of each side with the facts: those with the best ranks that have the same settings and similar loads, else the
 * best of each.
 */
export function chooseEntries(
  sides: readonly (readonly SetEntry[])[],
  held: QuestionFilters,
  compared: ReadonlySet<Compared>,
): Chosen {
  const [first = [], ...others] = sides.map((entries) => entries.filter((entry) => hasFacts(entry, held)));
  const chosen = first
    .map((entry, place) => {
      const taken = [entry];
      const places = others.map((side) => {
        const at = side.findIndex((other) =>
          taken.every((one) => hasSimilarLoad(other, one) && hasSameSettings(other.settings, one.settings, compared)),
        );
        taken.push(...side.slice(at).slice(0, at < 0 ? 0 : 1));
        return at;
      });
      return [place, ...places];
    })
    .filter((places) => !places.includes(-1))
    .sort((a, b) => sumOf(a) - sumOf(b))[0];
  const places = chosen ?? sides.map(() => 0);
  return {
    ids: [first, ...others].map((side, at) => side[places[at] ?? 0]?.system.id ?? null),
    depth: Math.max(...places) + 1,
    isSame: chosen !== undefined,
  };
}

const sumOf = (places: readonly number[]) => places.reduce((sum, place) => sum + place, 0);
