import type { DatasetId } from './datasets.ts';
import type { PlanItem, PlanPoint } from './point.ts';

/** What a whole run may spend; null: no limit. */
export interface PlanLimits {
  /** Seconds of sending, warm-up and the wait for last answers aside. Every point gets an equal share. */
  durationS: number | null;
  /** Requests, those of the warm-up too. */
  requests: number | null;
  /** Tokens asked for, in and out, those of the warm-up too. Data sets count with the usual length of their records. */
  tokens: number | null;
  /** Requests in flight. */
  concurrency: number | null;
}

export const noLimits: PlanLimits = { durationS: null, requests: null, tokens: null, concurrency: null };

/** Why a point of a plan is not measured. */
export const omissions = ['above_concurrency', 'above_requests', 'above_tokens'] as const;
export type Omission = (typeof omissions)[number];

/** A repetition of an item on its way to a point. */
export interface Candidate {
  item: PlanItem;
  point: PlanPoint;
}

interface Budget {
  omission: Omission;
  most: number;
  /** What one request of an item takes of it. */
  of(item: PlanItem): number;
}

/** Tokens that a record and its answer hardly pass; the real ones are counted when they are sent. */
const datasetTokens: ReadonlyMap<string, number> = new Map<DatasetId, number>([
  ['sharegpt', 2048],
  ['numina-math', 2048],
  ['edit-10k', 8192],
]);
const unknownTokens = 8192;

/** Tokens asked for by one request; of a data set, about. */
export function tokensOfRequest({ scenario }: Pick<PlanItem, 'scenario'>): number {
  const { id, inputTokens, outputTokens } = scenario;
  if (inputTokens !== null && outputTokens !== null) return inputTokens + outputTokens;
  return datasetTokens.get(id) ?? unknownTokens;
}

/**
 * The load under a cap on requests in flight: a closed loop, a burst or a batch above it would be another load and is
 * none; a rate keeps its arrivals and waits, which is told as its cap.
 */
function underConcurrency({ item, point }: Candidate, most: number | null): Candidate | null {
  const { load } = item;
  if (most === null) return { item, point };
  if (load.mode !== 'rate') return load.level <= most ? { item, point } : null;
  const maxConcurrency = Math.min(most, load.maxConcurrency ?? most);
  return { item, point: { ...point, load: { ...load, maxConcurrency } } };
}

function budgetsOf({ requests, tokens }: PlanLimits): Budget[] {
  return [
    ...(requests === null ? [] : [{ omission: 'above_requests' as const, most: requests, of: () => 1 }]),
    ...(tokens === null ? [] : [{ omission: 'above_tokens' as const, most: tokens, of: tokensOfRequest }]),
  ];
}

const spent = (list: readonly Candidate[], { of }: Budget, share: number) =>
  list.reduce((sum, { item }) => {
    const { requests, warmup } = scaled(item, share);
    return sum + (requests + warmup) * of(item);
  }, 0);

/** An item at a share of what it may have above its least. The warm-up shrinks with it, to nothing. */
function scaled({ requests, requestsLeast, warmup }: PlanItem, share: number): { requests: number; warmup: number } {
  const more = Math.floor((requests - requestsLeast) * share);
  return { requests: requestsLeast + more, warmup: Math.floor(warmup * share) };
}

/**
 * Which to give up first where even the least is too much: later repetitions before any point is lost, then the dearest
 * points, of equal ones the last.
 */
function dearestFirst(list: readonly Candidate[], { of }: Budget): Candidate[] {
  const cost = ({ item }: Candidate) => item.requestsLeast * of(item);
  return [...list].reverse().sort((a, b) => b.point.repetition - a.point.repetition || cost(b) - cost(a));
}

/** The largest share, of 0 to 1, that keeps within every budget. */
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

/** A share of the time for each point, and no more arrivals of a rate than fit into it. */
function withinDuration(points: readonly PlanPoint[], durationS: number | null): PlanPoint[] {
  if (durationS === null) return [...points];
  const durationMaxS = durationS / points.length;
  return points.map((point) => {
    const { mode, level } = point.load;
    const requests = mode === 'rate' ? Math.max(1, Math.floor(durationMaxS * level)) : point.requests;
    return { ...point, durationMaxS, requests: Math.min(point.requests, requests) };
  });
}

export interface Scaled {
  points: PlanPoint[];
  omitted: { key: string; reason: Omission }[];
}

/**
 * The points of a plan within the limits of a run. Every point keeps the load that it is named for: what does not fit
 * has fewer requests, down to the fewest that still are that load, and then is left out and said to be.
 */
export function scaleDown(candidates: readonly Candidate[], limits: PlanLimits): Scaled {
  const omitted: Scaled['omitted'] = [];
  let kept: Candidate[] = [];
  for (const candidate of candidates) {
    const under = underConcurrency(candidate, limits.concurrency);
    if (under === null) omitted.push({ key: candidate.point.key, reason: 'above_concurrency' });
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
    omitted.push(...[...dropped].map(({ point }) => ({ key: point.key, reason: budget.omission })));
    kept = kept.filter((candidate) => !dropped.has(candidate));
  }
  const share = shareWithin(kept, budgets);
  const points = kept.map(({ item, point }) => ({ ...point, ...scaled(item, share) }));
  return { points: withinDuration(points, limits.durationS), omitted };
}
