import { findPlan } from './named-plans.ts';
import { itemKey, type PlanItem, type PlanPoint, pointOf } from './point.ts';
import { type Omission, type PlanLimits, scaleDown, tokensOfRequest } from './scale.ts';

/** What a run is to measure, checked: see `PlanRequestSchema` for what a caller writes. */
export interface RunPlan {
  /** A named plan's id, or the items themselves. */
  plan: string | PlanItem[];
  /** Null: as many as the plan has. */
  repetitions: number | null;
  /** Requests before each point of a named plan that are not measured; null: as many as the plan has. */
  warmup: number | null;
  seed: number;
  limits: PlanLimits;
}

/** What a plan comes to, for progress and for asking whether it may run. */
export interface PlanTotals {
  points: number;
  /** Requests, those of the warm-up too. */
  requests: number;
  /** Tokens asked for, in and out; about, where data sets are among them. */
  tokens: number;
  /** Most requests in flight at once; null where a rate has no cap. */
  concurrency: number | null;
}

export interface ExpandedPlan {
  /** In the order of measuring: all points once, then all again. */
  points: PlanPoint[];
  totals: PlanTotals;
  /** Points of the plan that the limits leave no room for. */
  omitted: { key: string; reason: Omission }[];
}

/** Repetitions of an explicit list where a run does not tell. */
export const listRepetitions = 1;

function inFlightOf({ load, requests }: PlanPoint): number | null {
  if (load.mode === 'rate') return load.maxConcurrency ?? null;
  return Math.min(load.level, requests);
}

/** What points come to. */
export function totalsOf(points: readonly PlanPoint[]): PlanTotals {
  const inFlight = points.map(inFlightOf);
  const requests = (point: PlanPoint) => point.requests + point.warmup;
  return {
    points: points.length,
    requests: points.reduce((sum, point) => sum + requests(point), 0),
    tokens: points.reduce((sum, point) => sum + requests(point) * tokensOfRequest(point), 0),
    concurrency: inFlight.some((count) => count === null)
      ? null
      : inFlight.reduce<number>((most, count) => Math.max(most, count ?? 0), 0),
  };
}

/**
 * The points of a plan, the same for the same plan. Repetitions go around the whole plan, so that a run that ends early
 * has every point once rather than half of them thrice, and a drift of the server shows as spread. Throws RangeError on
 * a plan that is not known; a checked one is.
 */
export function expandPlan({ plan, repetitions, warmup, seed, limits }: RunPlan): ExpandedPlan {
  const named = typeof plan === 'string' ? findPlan(plan) : null;
  if (typeof plan === 'string' && named === null) throw new RangeError(`there is no plan ${plan}`);
  const items =
    typeof plan === 'string'
      ? (named?.items() ?? []).map((item) => ({ ...item, warmup: warmup ?? item.warmup }))
      : plan;
  const rounds = repetitions ?? named?.repetitions ?? listRepetitions;
  const candidates = Array.from({ length: rounds }, (_, round) =>
    items.map((item) => ({ item, point: pointOf(item, round + 1, seed) })),
  ).flat();
  const { points, omitted } = scaleDown(candidates, limits);
  return { points, totals: totalsOf(points), omitted };
}

/** The points that are still to be measured, by the keys of those that are. */
export function remainingPoints(points: readonly PlanPoint[], measured: ReadonlySet<string>): PlanPoint[] {
  return points.filter(({ key }) => !measured.has(key));
}

/** Items of a list that are the same workload under the same load, by their places. */
export function repeatedItems(items: readonly PlanItem[]): [first: number, again: number][] {
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const key = itemKey(item);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    return first === undefined ? [] : [[first, index] as [number, number]];
  });
}
