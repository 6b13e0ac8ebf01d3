import type { QuestionFilters } from '@inferboard/core/questions/index';
import { type Compared, type EngineSettings, hasSameSettings } from '@inferboard/core/series/same-settings';
import type { MeasuredLoad } from '@inferboard/db/boards/lists/measured-loads';
import { type ComparedEntry, hasFacts } from './held-facts.ts';
import { isOfOneUser, isPerGpu } from './speeds.ts';

export interface LoadedEntry extends ComparedEntry {
  scenario: { id: string };
  load: { mode: string; level: number | null };
}

/** An entry of a side with the settings of its system. */
export interface SetEntry extends LoadedEntry {
  value: number;
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

/** True if two entries have the same stated load. An unstated load is not the same as any other. */
const hasSameLevel = (one: LoadedEntry, other: LoadedEntry): boolean =>
  one.load.mode === other.load.mode && one.load.level !== null && one.load.level === other.load.level;

/** Requests for each GPU; null if the load or the number of GPUs is not stated. */
export const loadPerGpu = ({ load: { level }, system: { gpu_count: count } }: LoadedEntry): number | null =>
  level === null || count === null ? null : level / count;

/** Number of common loads to try. */
const loadsMax = 2;

/**
 * The loads at which all sides were measured, as filters of each side: in total, then for each GPU if the metric is one of each GPU.
 * A throughput is highest at high loads, the speed of one user at low ones: these come first. Empty if the chosen entries have
 * different modes.
 *
 * @param measured the loads of each side
 */
export function loadsInCommon(
  entries: readonly LoadedEntry[],
  measured: readonly (readonly MeasuredLoad[])[],
  rankBy: string,
): QuestionFilters[][] {
  const [mode, ...others] = new Set(entries.map(({ load }) => load.mode));
  if (mode === undefined || others.length > 0) return [];
  const inMode = measured.map((loads) => loads.filter((load) => load.mode === mode));
  const common = (levelsOf: (loads: readonly MeasuredLoad[], at: number) => number[]): number[] => {
    const [first = new Set<number>(), ...rest] = inMode.map((loads, at) => new Set(levelsOf(loads, at)));
    const all = [...first].filter((level) => rest.every((levels) => levels.has(level)));
    return all.toSorted((a, b) => (isOfOneUser(rankBy) ? a - b : b - a)).slice(0, loadsMax);
  };
  const counts = entries.map(({ system }) => system.gpu_count);
  const total = common((loads) => loads.map(({ level }) => level)).map((level) =>
    counts.map((): QuestionFilters => ({ load_mode: [mode], load_level: [level] })),
  );
  const stated = counts.flatMap((count) => count ?? []);
  if (!isPerGpu(rankBy) || stated.length < counts.length) return total;
  const ofCount = (loads: readonly MeasuredLoad[], at: number) =>
    loads.flatMap(({ level, gpuCount }) => (gpuCount !== null && gpuCount === counts[at] ? [level / gpuCount] : []));
  const perGpu = common(ofCount).map((each) =>
    stated.map(
      (count): QuestionFilters => ({
        load_mode: [mode],
        load_level: [Number((each * count).toPrecision(12))],
        gpu_count: [count],
      }),
    ),
  );
  return [...total, ...perGpu];
}

/** True if two entries have the same load for each GPU. */
function hasSameLoadPerGpu(one: LoadedEntry, other: LoadedEntry): boolean {
  const each = loadPerGpu(one);
  return one.load.mode === other.load.mode && each !== null && each === loadPerGpu(other);
}

/**
 * True if MLPerf's rules make the loads of two entries comparable: offline, the samples of the whole run are sent at once, and
 * online, the rate is the highest that meets the latency limits. Latencies still depend on it.
 */
const hasRuledLoad = (one: LoadedEntry, other: LoadedEntry, metric: string): boolean =>
  [one, other].every(({ scenario: { id } }) => /^mlperf-(?!.*-open)/.test(id)) &&
  one.load.mode === other.load.mode &&
  !isOfOneUser(metric);

/** What the loads of entries have in common: they are the same, the same for each GPU, or the result of the same rules. */
export type CommonLoad = 'total' | 'per_gpu' | 'rules';

/** What the loads of entries have in common; null if their ratio would be that of unlike loads. */
export function commonLoad(entries: readonly LoadedEntry[], metric: string): CommonLoad | null {
  const isOfAll = (isSame: (one: LoadedEntry, other: LoadedEntry) => boolean) =>
    entries.every((other) => entries[0] !== undefined && isSame(entries[0], other));
  if (isOfAll(hasSameLevel)) return 'total';
  if (isOfAll((one, other) => hasRuledLoad(one, other, metric))) return 'rules';
  return isPerGpu(metric) && isOfAll(hasSameLoadPerGpu) ? 'per_gpu' : null;
}

/** How alike the chosen systems are, the most alike first. */
export const likenesses = [
  'same',
  'same_load',
  'same_load_per_gpu',
  'same_settings',
  'similar_load',
  'unlike',
] as const;
export type Likeness = (typeof likenesses)[number];

/** How well systems can be compared. */
export interface Comparable {
  likeness: Likeness;
  /** The least share of its best value that a side reaches: few requests at once do not show the throughput of a system. */
  share: number;
}

/** Share of the best values at which a load counts as one that a deployment would use. */
const shareMin = 0.5;

/** Below this share of the best values, a throughput is that of nearly idle systems and is not compared. */
const shareIdle = 0.25;

/** True if the systems have the same load, in total or for each GPU. */
export const hasLoadInCommon = ({ likeness }: Comparable) => likenesses.indexOf(likeness) <= 2;

/** True if the systems have a load in common at which each reaches at least half of its best value. */
export const isLoaded = (choice: Comparable): boolean => hasLoadInCommon(choice) && choice.share >= shareMin;

/**
 * The best choice, the first of equal ones: of those with a common load at which the systems do well the most alike, else of those
 * with a common load the one closest to the best values, else the most alike. Latencies are compared at any share.
 */
export function mostAlike<T extends Comparable>(choices: readonly T[], rankBy: string): T | undefined {
  const alike = (among: readonly T[]) =>
    likenesses.flatMap((likeness) => among.find((one) => one.likeness === likeness) ?? [])[0];
  const least = isOfOneUser(rankBy) ? 0 : shareIdle;
  const [closest] = choices
    .filter((one) => hasLoadInCommon(one) && one.share >= least)
    .toSorted((a, b) => b.share - a.share);
  // Similar loads at which a system does badly give no ratio and hide its best value.
  const apart = choices.filter((one) => !hasLoadInCommon(one) && one.share >= (least === 0 ? 0 : shareMin));
  return alike(choices.filter(isLoaded)) ?? closest ?? alike(apart) ?? alike(choices);
}

/** The least share of the best values that entries reach. */
export function shareOf(
  entries: readonly { value: number }[],
  bests: readonly ({ value: number } | undefined)[],
): number {
  const shares = entries.map(({ value }, at) => {
    const best = bests[at]?.value ?? value;
    return Math.max(value, best) === 0 ? 1 : Math.min(value, best) / Math.max(value, best);
  });
  return Math.min(1, ...shares);
}

/** The chosen system of each side. */
export interface Chosen extends Comparable {
  ids: (string | null)[];
  /** Number of entries with the facts to list until each side has its system. */
  depth: number;
  entries: SetEntry[];
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
 * Chooses an entry of each side with the facts, for each likeness that entries have: those with the best ranks.
 *
 * @param bests the best entry of each side, which the share is of
 */
export function chooseEntries(
  sides: readonly (readonly SetEntry[])[],
  held: QuestionFilters,
  {
    compared,
    rankBy,
    bests,
  }: { compared: ReadonlySet<Compared>; rankBy: string; bests: readonly (SetEntry | undefined)[] },
): Chosen[] {
  const having = sides.map((entries) => entries.filter((entry) => hasFacts(entry, held)));
  const hasSame: IsAlike = (one, other) => hasSameSettings(one.settings, other.settings, compared);
  const hasSameLoad: IsAlike = (one, other) =>
    hasRuledLoad(one, other, rankBy) || (hasSameLevel(one, other) && hasSimilarLoad(one, other));
  const tests: Record<Likeness, IsAlike> = {
    same: (one, other) => hasSameLoad(one, other) && hasSame(one, other),
    same_load: hasSameLoad,
    same_load_per_gpu: (one, other) => isPerGpu(rankBy) && hasSameLoadPerGpu(one, other),
    same_settings: (one, other) => hasSimilarLoad(one, other) && hasSame(one, other),
    similar_load: hasSimilarLoad,
    unlike: () => true,
  };
  return likenesses.flatMap((likeness) => {
    const places = findPlaces(having, tests[likeness]);
    if (places === undefined) return [];
    const entries = having.flatMap((side, at) => side[places[at] ?? 0] ?? []);
    return [
      {
        ids: entries.map(({ system }) => system.id),
        depth: Math.max(...places) + 1,
        entries,
        likeness,
        share: shareOf(entries, bests),
      },
    ];
  });
}

const sumOf = (places: readonly number[]) => places.reduce((sum, place) => sum + place, 0);
