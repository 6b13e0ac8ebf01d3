import { confirmedEnds, type Ends, isotonicRatios, type LevelState, levelsOf, noiseOf } from './levels.ts';
import { lineThrough } from './line.ts';
import { refineRate } from './rate-search.ts';
import { saturationOf, slowdownOf } from './saturation.ts';

/** What one measured point shows about its load. */
export interface Observation {
  level: number;
  /** The worst latency by its limit: 1 is at the limit. Infinity if the point has no such latency. */
  ratio: number;
  /** The limit of the worst latency, `failures` or `saturation`. */
  bound: string;
  /**
   * Requests per second that the server completed, as the table has them; null if unknown. Of a saturated point: the rate at
   * which requests ended, because the wait for the first one is no part of what the server sustains.
   */
  completed_req_s: number | null;
  /** True if the server completed less than the requested load, while its queue grew. */
  isSaturated: boolean;
  /** False for a short point, which only serves to find the range. */
  isFine: boolean;
}

export interface SearchOptions {
  mode: 'rate' | 'concurrency';
  /** The first load, and the highest one. */
  first: number;
  highest: number;
  /** Maximum ratio of the interval's ends, minus 1. */
  tolerance: number;
  /** Points at most. */
  pointsMax: number;
}

export const usualSearch = { tolerance: 0.05, pointsMax: 30 } as const;

/** The load to measure next. */
export interface Probe {
  level: number;
  isFine: boolean;
}

/** Why a search ended. */
export type SearchEnd = 'found' | 'highest_holds' | 'lowest_fails' | 'noise' | 'points';

export interface Capacity {
  end: SearchEnd;
  /** The load at the limit, within the interval; null if no load met the limits. */
  level: number | null;
  /**
   * Concurrency: the highest load that certainly meets the limits, and the lowest that certainly misses one; null if there is
   * none. Rate: the ends of the interval that contains the capacity with a probability of 80 %.
   */
  interval: readonly [number | null, number | null];
  /** What the load above the interval missed; null if none missed anything. */
  bound: string | null;
  /** Completed requests per second at the highest load that met the limits; null if unknown. */
  completed_req_s: number | null;
  /** The lowest load at which the throughput no longer grew and requests queued; null if none was that high. */
  saturatedFrom: number | null;
  /** Completed requests per second early and late in the search, if the server became slower; else null. */
  slowdown: { first: number; last: number } | null;
}

export type Step = { probe: Probe } | { done: Capacity };

const growth = 4;
/** Below this share of the first rate the search gives up. */
const lowestShare = 1 / 4096;
/** Points of one load at least at the ends of the interval, and at most. */
const repeatsLeast = 2;
const repeatsMost = 4;

const between = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** The range before anything fails: upwards by a factor, or as far as two points extrapolate to if that is less. */
function raise(levels: readonly LevelState[], options: SearchOptions): number {
  const [before, top] = [levels.at(-2), levels.at(-1)];
  if (top === undefined) return options.first;
  let next = top.level * growth;
  if (before !== undefined && top.ratio > before.ratio * 1.02) {
    const slope = (top.ratio - before.ratio) / (top.level - before.level);
    next = between(1.15 * (top.level + (1 - top.ratio) / slope), top.level * 1.3, next);
  }
  if (options.mode === 'concurrency') next = Math.max(top.level + 1, Math.round(next));
  return Math.min(options.highest, next);
}

/** Downwards while nothing holds; null below the lowest load. */
function lower(bottom: LevelState, options: SearchOptions): number | null {
  const completed = options.mode === 'rate' && bottom.isSaturated ? bottom.completed_req_s : null;
  const hint = completed === null ? 0 : completed * 0.9;
  const next = hint > bottom.level / 64 && hint < bottom.level * 0.9 ? hint : bottom.level / growth;
  if (options.mode === 'rate') return next < options.first * lowestShare ? null : next;
  return bottom.level <= 1 ? null : Math.max(1, Math.floor(next));
}

/**
 * Where the ratio of a number of users crosses 1. Latency is convex in the users: the line through a load that holds and one
 * that fails is below the crossing, and the line through two failing loads is above it.
 */
function crossingOfUsers(lo: LevelState, hi: LevelState, above: LevelState | undefined): number {
  const chord = lo.level + ((1 - lo.ratio) / (hi.ratio - lo.ratio)) * (hi.level - lo.level);
  if (above === undefined) return chord;
  const line = hi.level - ((hi.ratio - 1) / (above.ratio - hi.ratio)) * (above.level - hi.level);
  return line > chord && line < hi.level ? Math.sqrt(chord * line) : chord;
}

/** The number of users at the limit, between one that holds and one that fails. */
function crossing(levels: readonly LevelState[], lo: LevelState, hi: LevelState): number {
  const above = levels.find(({ level, ratio }) => level > hi.level && ratio > hi.ratio * 1.02);
  const found = crossingOfUsers(lo, hi, above);
  return found > lo.level && found < hi.level ? found : Math.sqrt(lo.level * hi.level);
}

/** A load between two, so that the crossing ends up in the middle of an interval of the wanted width. */
function narrow(levels: readonly LevelState[], lo: LevelState, hi: LevelState, options: SearchOptions): number {
  const width = 1 + options.tolerance;
  const [half, whole] = [width ** 0.45, width ** 0.95];
  const middle = Math.sqrt(lo.level * hi.level);
  const fine = levels.filter((level) => level.fine > 0).length;
  const isSlow = fine >= 4 && fine % 2 === 0 && hi.level / lo.level > width ** 2;
  const at = isSlow ? middle : crossing(levels, lo, hi);
  let next = at / half;
  if (next <= lo.level * half) next = lo.level * whole;
  if (next >= hi.level / half) next = Math.max(lo.level * half, hi.level / whole);
  if (next >= hi.level || next <= lo.level) next = middle;
  // Towards the crossing, so that the interval is no wider than wanted.
  return between(next > at ? Math.floor(next) : Math.ceil(next), lo.level + 1, hi.level - 1);
}

const isNarrow = (lo: number, hi: number, { tolerance }: SearchOptions, grain: number) =>
  hi / lo <= 1 + tolerance || hi - lo <= grain;

/** The load between two that are two users apart, if it was not measured: the capacity must be a load that was sent. */
function untriedBetween(levels: readonly LevelState[], lo: number, hi: number): number | null {
  if (hi - lo !== 2) return null;
  return levels.some(({ level }) => level === lo + 1) ? null : lo + 1;
}

/** Loads closer than this are the same one. */
const sameLoad = 0.01;
/** Steps away from the crossing at most. */
const stepsMost = 4;

/** A number of users at a factor of another, and at least one user away. */
const beside = (at: number, factor: number): number =>
  factor > 1
    ? Math.max(Math.floor(at * factor), Math.floor(at) + 1)
    : Math.max(1, Math.min(Math.ceil(at * factor), Math.ceil(at) - 1));

/**
 * The load that narrows the interval of certain verdicts most: a new one near the crossing, or one to repeat. Null if
 * neither helps.
 */
function refinedLoad(levels: readonly LevelState[], ends: Ends, at: number, options: SearchOptions): number | null {
  const [low, high] = [ends[0]?.level ?? 0, ends[1]?.level ?? Number.POSITIVE_INFINITY];
  const half = (1 + options.tolerance) ** 0.48;
  const factors = at / low > high / at ? [1 / half, half] : [half, 1 / half];
  for (const factor of factors)
    for (let step = 1; step <= stepsMost; step++) {
      const wanted = beside(at, factor ** step);
      if (wanted <= low || wanted >= high) break;
      const known = levels.find(({ level }) => level > low && level < high && Math.abs(level / wanted - 1) < sameLoad);
      if (known === undefined) return wanted;
      if (known.fine < repeatsMost) return known.level;
    }
  return widestGap(levels.map(({ level }) => level).filter((level) => level >= low && level <= high));
}

/** The middle of the widest gap between ascending numbers of users; null if no gap contains another. */
function widestGap(levels: readonly number[]): number | null {
  const gaps = levels.flatMap((low, at) => {
    const high = levels[at + 1] ?? low;
    return high - low > 1 ? [[low, high] as const] : [];
  });
  const [widest] = gaps.sort((a, b) => b[1] / b[0] - a[1] / a[0]);
  if (widest === undefined) return null;
  const middle = Math.sqrt(widest[0] * widest[1]);
  return between(Math.round(middle), widest[0] + 1, widest[1] - 1);
}

/**
 * Repeats the highest or the lowest load that the search may measure; null if its verdict is certain, or after the maximum of
 * repetitions. `certain`: the load with a certain verdict. For a rate, only verdicts count, and all of them agree here.
 */
function endAt(load: LevelState, certain: LevelState | null, { mode }: SearchOptions): Step | null {
  const most = certain === load || mode === 'rate' ? repeatsLeast : repeatsMost;
  return load.fine < most ? probe(load.level) : null;
}

/** A rate of four digits, which people can read and repeat. */
const probe = (level: number, isFine = true): Step => ({ probe: { level: Number(level.toPrecision(4)), isFine } });

function fullLoadOf(history: readonly Observation[], mode: SearchOptions['mode'], at: number | null) {
  const saturatedFrom = saturationOf(history, mode);
  return { saturatedFrom, slowdown: slowdownOf(history, { mode, at, saturatedFrom }) };
}

/** Narrows the range of a rate, once a point met the limits and another missed one. */
function narrowRate(history: readonly Observation[], options: SearchOptions): Step {
  const { level, interval, next, bound, completed_req_s } = refineRate(history);
  const allowed = Math.min(next, options.highest);
  const isFound = interval[1] / interval[0] <= 1 + options.tolerance;
  if (!isFound && history.length < options.pointsMax) return probe(allowed);
  const end = isFound ? 'found' : 'points';
  return { done: { end, level, interval, bound, completed_req_s, ...fullLoadOf(history, options.mode, level) } };
}

/**
 * The next load to measure, or the capacity. The function is pure: it derives everything from the points so far.
 *
 * It raises the load until a point misses a limit, and then narrows the range. For a number of users it interpolates latencies, and
 * repeats points near the limit until the noise of the repetitions no longer leaves their verdicts in doubt. A line through all points
 * near the limit needs fewer of them. For a rate it estimates the capacity from the verdicts alone.
 */
export function nextProbe(history: readonly Observation[], options: SearchOptions): Step {
  const isBracketed = new Set(history.map(({ ratio }) => ratio > 1)).size === 2;
  if (options.mode === 'rate' && isBracketed) return narrowRate(history, options);
  const levels = isotonicRatios(levelsOf(history));
  const noise = noiseOf(levels);
  const failing = levels.findIndex(({ ratio }) => ratio > 1);
  const [lo, hi] = failing < 0 ? [levels.at(-1), undefined] : [levels[failing - 1], levels[failing]];
  const interpolated = lo === undefined || hi === undefined ? null : crossing(levels, lo, hi);
  const line = interpolated === null ? null : lineThrough(levels, interpolated, noise);
  const ends = confirmedEnds(levels, noise, line);
  const at = line?.crossing ?? interpolated ?? lo?.level ?? null;
  const done = (end: SearchEnd): Step => ({
    done: {
      end,
      level: at === null || options.mode === 'rate' ? at : Math.floor(at),
      interval: [ends[0]?.level ?? null, ends[1]?.level ?? null],
      bound: hi?.bound ?? null,
      completed_req_s: lo?.completed_req_s ?? null,
      ...fullLoadOf(history, options.mode, at),
    },
  });
  if (history.length >= options.pointsMax) return done('points');
  if (hi === undefined) {
    const isTop = lo !== undefined && lo.level >= options.highest;
    if (!isTop) return probe(raise(levels, options), false);
    return endAt(lo, ends[0], options) ?? done(ends[0] === lo || options.mode === 'rate' ? 'highest_holds' : 'noise');
  }
  if (lo === undefined || at === null) {
    const level = lower(hi, options);
    if (level !== null) return probe(level, false);
    return endAt(hi, ends[1], options) ?? done(ends[1] === hi || options.mode === 'rate' ? 'lowest_fails' : 'noise');
  }
  const [sureLo, sureHi] = ends;
  if (sureLo !== null && sureHi !== null && isNarrow(sureLo.level, sureHi.level, options, 2)) {
    const untried = untriedBetween(levels, sureLo.level, sureHi.level);
    if (untried !== null) return probe(untried);
    const least = line === null ? [sureLo, sureHi].find(({ fine }) => fine < repeatsLeast) : undefined;
    return least === undefined ? done('found') : probe(least.level);
  }
  if (!isNarrow(lo.level, hi.level, options, 1)) return probe(narrow(levels, lo, hi, options));
  const level = refinedLoad(levels, ends, at, options);
  return level === null ? done('noise') : probe(level);
}
