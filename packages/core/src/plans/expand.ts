import { type AskedSearch, boundSearch, type CapacitySearch } from './capacity-search.ts';
import { findPlan } from './named-plans.ts';
import { itemKey, type PlanItem, type PlanPoint, pointOf, requestsOfPoint } from './point.ts';
import { type OmittedPoint, type PlanLimits, scaleDown, tokensOfRequest } from './scale.ts';
import type { Until } from './until.ts';

/** A validated plan of measurements. `PlanRequestSchema` is the request format. */
export interface RunPlan {
  /** The id of a named plan, or the items. */
  plan: string | PlanItem[];
  /** Null: the plan's default. */
  repetitions: number | null;
  /** Unmeasured requests before each point of a named plan; null: the plan's default. */
  warmup: number | null;
  seed: number;
  limits: PlanLimits;
  /** What the plan `capacity` searches; undefined for other plans. */
  find?: AskedSearch | undefined;
  /** Repeats each point until it is stable; undefined: `repetitions` times. */
  until?: Until | undefined;
}

/** Totals of a plan, for progress and for permission checks. */
export interface PlanTotals {
  points: number;
  /** Requests, including the warm-up and each turn of a conversation. */
  requests: number;
  /** Requested tokens, in and out; approximate for data sets. */
  tokens: number;
  /** Maximum requests in flight; null if a rate has no cap. */
  concurrency: number | null;
}

export interface ExpandedPlan {
  /** In measurement order: all points once, then all again. With `until`, once; further repetitions are added. */
  points: PlanPoint[];
  totals: PlanTotals;
  /** Points, and measured requests. A search and `until` may need fewer. */
  atMost: { points: number; requests: number };
  /** Points omitted because of the limits. */
  omitted: OmittedPoint[];
  /** A search adds its points while it runs; null for a plan with fixed points. */
  search: CapacitySearch | null;
}

/** True if a plan has nothing to measure within its limits. */
export const isPlanEmpty = ({ points, search }: ExpandedPlan): boolean => points.length === 0 && search === null;

/** Default repetitions of an explicit list. */
export const listRepetitions = 1;

function inFlightOf({ load, requests }: PlanPoint): number | null {
  if (load.mode === 'rate') return load.maxConcurrency ?? null;
  return Math.min(load.level, requests);
}

/** Calculates the totals of points. */
export function totalsOf(points: readonly PlanPoint[]): PlanTotals {
  const inFlight = points.map(inFlightOf);
  const requests = (point: PlanPoint) => requestsOfPoint(point) + point.warmup;
  return {
    points: points.length,
    requests: points.reduce((sum, point) => sum + requests(point), 0),
    tokens: points.reduce((sum, point) => sum + requests(point) * tokensOfRequest(point), 0),
    concurrency: inFlight.some((count) => count === null)
      ? null
      : inFlight.reduce<number>((most, count) => Math.max(most, count ?? 0), 0),
  };
}

const countOf = (points: readonly PlanPoint[]): ExpandedPlan['atMost'] => ({
  points: points.length,
  requests: points.reduce((sum, point) => sum + requestsOfPoint(point), 0),
});

function expandSearch(asked: AskedSearch, warmup: number | null, limits: PlanLimits): ExpandedPlan {
  const bound = boundSearch(asked, warmup, limits);
  if ('omitted' in bound)
    return { points: [], totals: totalsOf([]), atMost: countOf([]), omitted: [bound.omitted], search: null };
  const { search } = bound;
  const { requests, tokens } = search.budget;
  const totals = {
    ...{ points: search.pointsMax, requests, tokens: tokens ?? requests * tokensOfRequest(search) },
    concurrency: search.mode === 'rate' ? null : search.highest,
  };
  return { points: [], totals, atMost: { points: search.pointsMax, requests }, omitted: [], search };
}

/**
 * Returns the points of a plan, always the same for the same plan. Each round measures every point once. A run that ends
 * early has every point once instead of a few points three times, and a drift of the server shows as spread. Throws
 * RangeError for an unknown plan; a validated plan is known.
 */
export function expandPlan({ plan, repetitions, warmup, seed, limits, find, until }: RunPlan): ExpandedPlan {
  if (find !== undefined) return expandSearch(find, warmup, limits);
  const named = typeof plan === 'string' ? findPlan(plan) : null;
  if (typeof plan === 'string' && named === null) throw new RangeError(`there is no plan ${plan}`);
  const items =
    typeof plan === 'string'
      ? (named?.items() ?? []).map((item) => ({ ...item, warmup: warmup ?? item.warmup }))
      : plan;
  const rounds = until?.max ?? repetitions ?? named?.repetitions ?? listRepetitions;
  const candidates = Array.from({ length: rounds }, (_, round) =>
    items.map((item) => ({ item, point: pointOf(item, round + 1, seed) })),
  ).flat();
  const { points: all, omitted } = scaleDown(candidates, limits);
  const whole = { totals: totalsOf(all), atMost: countOf(all), search: null };
  if (until === undefined) return { points: all, omitted, ...whole };
  const firsts = new Set(candidates.slice(0, items.length).map(({ point }) => point.key));
  const isFirst = ({ key }: { key: string }) => firsts.has(key);
  return { points: all.filter(isFirst), omitted: omitted.filter(isFirst), ...whole };
}

/** Returns the points without a measured key. */
export function remainingPoints(points: readonly PlanPoint[], measured: ReadonlySet<string>): PlanPoint[] {
  return points.filter(({ key }) => !measured.has(key));
}

/** Finds items of a list with the same workload and load, by index. */
export function repeatedItems(items: readonly PlanItem[]): [first: number, again: number][] {
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const key = itemKey(item);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    return first === undefined ? [] : [[first, index] as [number, number]];
  });
}
