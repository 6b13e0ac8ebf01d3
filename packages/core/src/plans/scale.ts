import { turnsOf } from './made-up-prompts.ts';
import { type PlanItem, type PlanPoint, pointTitle } from './point.ts';
import { tokensOfEach } from './point-size.ts';

/** Limits of a whole run; null: no limit. */
export interface PlanLimits {
  /** Seconds of sending, without warm-up and the wait for the last responses. All points get equal shares. */
  durationS: number | null;
  /** Requests, including the warm-up and each turn of a conversation. */
  requests: number | null;
  /** Requested tokens, in and out, including the warm-up. Data sets count with the usual length of their records. */
  tokens: number | null;
  /** Requests in flight. */
  concurrency: number | null;
}

export const noLimits: PlanLimits = { durationS: null, requests: null, tokens: null, concurrency: null };

/** Why a point of a plan is not measured. */
export const omissions = ['above_concurrency', 'above_requests', 'above_tokens'] as const;
export type Omission = (typeof omissions)[number];

/** A repetition of an item that may become a point. */
export interface Candidate {
  item: PlanItem;
  point: PlanPoint;
}

interface Budget {
  omission: Omission;
  most: number;
  /** The cost of one request of an item, or of one conversation. */
  of(item: PlanItem): number;
}

/** Requested tokens of one request; approximate for a data set and for drawn lengths. */
export function tokensOfRequest({ scenario }: Pick<PlanItem, 'scenario'>): number {
  const { input, output } = tokensOfEach(scenario);
  return input + output;
}

/**
 * Applies a cap on requests in flight. A closed loop, burst or batch above the cap would be another load, so it is omitted.
 * A rate keeps its arrivals and waits; the cap becomes part of the load.
 */
function underConcurrency({ item, point }: Candidate, most: number | null): Candidate | null {
  const { load } = item;
  if (most === null) return { item, point };
  if (load.mode !== 'rate') return load.level <= most ? { item, point } : null;
  const maxConcurrency = Math.min(most, load.maxConcurrency ?? most);
  return { item, point: { ...point, load: { ...load, maxConcurrency } } };
}

const tokensOfItem = (item: PlanItem): number => turnsOf(item.scenario) * tokensOfRequest(item);

function budgetsOf({ requests, tokens }: PlanLimits): Budget[] {
  return [
    ...(requests === null
      ? []
      : [{ omission: 'above_requests' as const, most: requests, of: ({ scenario }: PlanItem) => turnsOf(scenario) }]),
    ...(tokens === null ? [] : [{ omission: 'above_tokens' as const, most: tokens, of: tokensOfItem }]),
  ];
}

const spent = (list: readonly Candidate[], { of }: Budget, share: number) =>
  list.reduce((sum, { item }) => {
    const { requests, warmup } = scaled(item, share);
    return sum + (requests + warmup) * of(item);
  }, 0);

/** Scales an item to a share of its requests above the minimum. The warm-up shrinks with it, down to zero. */
function scaled({ requests, requestsLeast, warmup }: PlanItem, share: number): { requests: number; warmup: number } {
  const more = Math.floor((requests - requestsLeast) * share);
  return { requests: requestsLeast + more, warmup: Math.floor(warmup * share) };
}

/**
 * Order in which to drop candidates if even the minimum exceeds the limit. Later repetitions come first, then the most
 * expensive points, then the last of equal points.
 */
function dearestFirst(list: readonly Candidate[], { of }: Budget): Candidate[] {
  const cost = ({ item }: Candidate) => item.requestsLeast * of(item);
  return [...list].reverse().sort((a, b) => b.point.repetition - a.point.repetition || cost(b) - cost(a));
}

/** The largest share from 0 to 1 that fits all budgets. */
function shareWithin(list: readonly Candidate[], budgets: readonly Budget[]): number {
  const fits = (share: number) => budgets.every((budget) => spent(list, budget, share) <= budget.most);
  if (fits(1)) return 1;
  let [low, high] = [0, 1];
  for (let round = 0; round < 40; round++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Gives each point an equal share of the time, and each rate only the arrivals that fit into it. */
function withinDuration(points: readonly PlanPoint[], durationS: number | null): PlanPoint[] {
  if (durationS === null) return [...points];
  const durationMaxS = durationS / points.length;
  return points.map((point) => {
    const { mode, level } = point.load;
    const requests = mode === 'rate' ? Math.max(1, Math.floor(durationMaxS * level)) : point.requests;
    return { ...point, durationMaxS, requests: Math.min(point.requests, requests) };
  });
}

/** A point of a plan that is not measured. */
export interface OmittedPoint {
  key: string;
  /** "agentic, burst of 256". Runs of earlier releases have none. */
  title?: string;
  reason: Omission;
}

const omit = (point: PlanPoint, reason: Omission): OmittedPoint => ({
  key: point.key,
  title: pointTitle(point),
  reason,
});

export interface Scaled {
  points: PlanPoint[];
  omitted: OmittedPoint[];
}

/**
 * Fits the points of a plan into the limits of a run. Every point keeps its load. A point that does not fit gets fewer
 * requests, down to the load's minimum; below it, the point is omitted and reported.
 */
export function scaleDown(candidates: readonly Candidate[], limits: PlanLimits): Scaled {
  const omitted: Scaled['omitted'] = [];
  let kept: Candidate[] = [];
  for (const candidate of candidates) {
    const under = underConcurrency(candidate, limits.concurrency);
    if (under === null) omitted.push(omit(candidate.point, 'above_concurrency'));
    else kept.push(under);
  }
  const budgets = budgetsOf(limits);
  for (const budget of budgets) {
    const dropped = new Set<Candidate>();
    let least = spent(kept, budget, 0);
    for (const candidate of dearestFirst(kept, budget)) {
      if (least <= budget.most) break;
      dropped.add(candidate);
      least -= candidate.item.requestsLeast * budget.of(candidate.item);
    }
    omitted.push(...[...dropped].map(({ point }) => omit(point, budget.omission)));
    kept = kept.filter((candidate) => !dropped.has(candidate));
  }
  const share = shareWithin(kept, budgets);
  const points = kept.map(({ item, point }) => ({ ...point, ...scaled(item, share) }));
  return { points: withinDuration(points, limits.durationS), omitted };
}
