import type { CapacityAnswer, PointVerdict } from '@inferboard/core/plans/capacity-answer';
import type { CapacitySearch } from '@inferboard/core/plans/capacity-search';
import { totalsOf } from '@inferboard/core/plans/expand';
import { itemKey, type PlanPoint, requestsOfPoint } from '@inferboard/core/plans/point';
import {
  groupRepetitions,
  judgeRepetitions,
  nextRepetition,
  type Repetition,
  type RepetitionFigures,
  readUntil,
  type Stability,
  type Until,
} from '@inferboard/core/plans/until';
import type { Database } from '@inferboard/db/connection/client';
import type { ClaimedRun } from '@inferboard/db/runs/run-claim';
import { listOpenPoints, type StoredPoint } from '@inferboard/db/runs/run-progress';
import { addPoint, closePoints, listMeasuredPoints, type MeasuredRow } from '@inferboard/db/runs/run-search';
import { capacityWords, type FindPlan, pointFor } from '@inferboard/loadgen/capacity/find-source';
import { observe } from '@inferboard/loadgen/capacity/observe';
import { nextProbe, type Observation, usualSearch } from '@inferboard/loadgen/capacity/search';
import { figuresOf } from '@inferboard/loadgen/capacity/until-source';
import type { MeasuredPoint } from '@inferboard/loadgen/points/measure-point';
import { RunFailure } from './run-failure.ts';

/** What the points of a run show after one more. */
export interface Found {
  /** What is stored with the point: how it met the limits of a search, or how stable its repetitions are. */
  summary: { limit: PointVerdict } | { until: StoredStability };
  capacity?: CapacityAnswer;
}

interface StoredStability {
  repetitions: number;
  /** The figure with the widest interval, and its relative width; null below two repetitions. */
  widest: Stability['widest'];
  is_stable: boolean;
}

/** Decides which point of a run is measured next. */
export interface RunPoints {
  /** Null if no point is left. @throws RunFailure, LeaseLostError */
  next(): Promise<StoredPoint | null>;
  /** Takes a point that was measured to its end; null for a plan with fixed points. */
  take(measured: MeasuredPoint): Found | null;
  /** Takes a point that cannot be measured. */
  skip(point: PlanPoint): void;
  /** Stores the answer and the totals after the last point. @throws LeaseLostError */
  close(): Promise<void>;
  /** True if a point that failures ended is a measurement of a load that is too high. */
  toleratesFailures: boolean;
}

/** The points of a plan, in order. */
function plannedPoints(points: readonly StoredPoint[]): RunPoints {
  const left = [...points];
  return {
    next: async () => left.shift() ?? null,
    take: () => null,
    skip: () => {},
    close: async () => {},
    toleratesFailures: false,
  };
}

interface SeenPoint {
  point: PlanPoint;
  verdict: PointVerdict;
  /** Median duration of a response. */
  e2eMs: number | null;
}

/** The points of a search so far. */
interface SeenPoints {
  judged: SeenPoint[];
  /** Partial points: their workers were stopped, and their loads are measured again. They count towards the budget. */
  partial: { point: PlanPoint; sentS: number }[];
}

const allOf = ({ judged, partial }: SeenPoints): PlanPoint[] => [...judged, ...partial].map(({ point }) => point);

/** What the summary of a point of a search has; without a verdict, the point is partial. */
interface StoredSummary {
  limit?: PointVerdict;
  metrics: Record<string, number | null>;
  sent_s?: number;
}

const toObservation = ({ point, verdict }: SeenPoint): Observation => ({
  level: point.load.level,
  // JSON has no infinity.
  ratio: verdict.ratio ?? Number.POSITIVE_INFINITY,
  bound: verdict.bound,
  completed_req_s: verdict.completed_req_s,
  isSaturated: verdict.is_saturated,
  isFine: verdict.is_fine,
});

function verdictOf(measured: MeasuredPoint, plan: FindPlan, isFine: boolean): PointVerdict {
  const { ratio, bound, completed_req_s, isSaturated } = observe(measured, plan.limits, isFine);
  return {
    ...{ ratio: Number.isFinite(ratio) ? ratio : null, bound, completed_req_s },
    ...{ is_saturated: isSaturated, is_fine: isFine, sent_s: measured.record.duration_ms / 1000 },
  };
}

/** What the points so far say. `isOver`: no point follows. */
function answerOf(seen: SeenPoints, plan: FindPlan, isOver: boolean): CapacityAnswer {
  const { search } = plan;
  const history = seen.judged.map(toObservation);
  const step = nextProbe(history, search);
  const last = 'done' in step ? step : nextProbe(history, { ...search, pointsMax: history.length });
  if (!('done' in last)) throw new Error('a search without points left continues');
  const found = last.done;
  const points = allOf(seen);
  const spent = { points: points.length, requests: points.reduce((sum, point) => sum + requestsOfPoint(point), 0) };
  const isEnded = isOver || 'done' in step;
  const [text = ''] = capacityWords(isEnded ? found : { ...found, end: 'found' }, plan, spent);
  const [meets, misses] = found.interval;
  return {
    ...{ end: isEnded ? found.end : null, level: found.level, interval: { meets, misses }, bound: found.bound },
    ...{ completed_req_s: found.completed_req_s, saturated_from: found.saturatedFrom },
    ...spent,
    text,
  };
}

/** The next point, or why the budget does not allow it. */
function nextPoint(
  seen: SeenPoints,
  plan: FindPlan,
  { budget }: CapacitySearch,
): { point: PlanPoint } | { over: string | null } {
  const { judged, partial } = seen;
  const step = nextProbe(judged.map(toObservation), plan.search);
  if ('done' in step) return { over: null };
  const measured = allOf(seen);
  const repetition = 1 + measured.filter(({ load }) => load.level === step.probe.level).length;
  const sized = pointFor(step.probe, repetition, plan, (judged[0]?.e2eMs ?? 0) / 1000);
  const sent = [...judged.map(({ verdict }) => verdict.sent_s), ...partial.map(({ sentS }) => sentS)];
  const sentS = sent.reduce((sum, seconds) => sum + seconds, 0);
  const leftS = budget.durationS === null ? null : budget.durationS - sentS;
  if (leftS !== null && leftS <= 0) return { over: 'the time limit of the run is reached' };
  const point = { ...sized, durationMaxS: leftS };
  const { requests, tokens } = totalsOf([...measured, point]);
  if (requests > budget.requests)
    return { over: `it needs ${requests} requests in total, more than the ${budget.requests} of the run` };
  if (budget.tokens !== null && tokens > budget.tokens)
    return { over: `it needs ${tokens} tokens in total, more than the ${budget.tokens} of the run` };
  return { point };
}

/** Reads the points that earlier attempts measured. */
function seenOf(rows: readonly MeasuredRow[]): SeenPoints {
  const seen: SeenPoints = { judged: [], partial: [] };
  for (const { point, summary } of rows) {
    const { limit, metrics, sent_s } = summary as unknown as StoredSummary;
    if (limit === undefined) seen.partial.push({ point, sentS: sent_s ?? 0 });
    else seen.judged.push({ point, verdict: limit, e2eMs: metrics.e2e_ms_p50 ?? metrics.e2e_ms_mean ?? null });
  }
  return seen;
}

/** The points of a search: each depends on the ones before, also on those of earlier attempts. */
async function searchPoints(db: Database['db'], run: ClaimedRun, search: CapacitySearch): Promise<RunPoints> {
  const { scenario, limits, mode, first, highest, pointsMax, requests, warmup, budget } = search;
  const seen = seenOf(await listMeasuredPoints(db, run.runId));
  const plan: FindPlan = {
    ...{ scenario, limits, requests, warmup, seed: run.seed, durationS: budget.durationS },
    search: { ...usualSearch, mode, first, highest, pointsMax: pointsMax - seen.partial.length },
  };
  // A point that an earlier attempt added and did not finish.
  const open = await listOpenPoints(db, run.runId);
  return {
    next: async () => {
      const unfinished = open.shift();
      if (unfinished !== undefined) return unfinished;
      const next = nextPoint(seen, plan, search);
      if ('point' in next) return addPoint(db, run, next.point);
      if (seen.judged.length === 0)
        throw new RunFailure('budget_used_up', `The first point does not fit: ${next.over ?? 'none is left'}.`);
      return null;
    },
    take: (measured) => {
      const step = nextProbe(seen.judged.map(toObservation), plan.search);
      const verdict = verdictOf(measured, plan, 'probe' in step && step.probe.isFine);
      const e2eMs = measured.summary.latencies.e2e_from_sent?.p50 ?? null;
      seen.judged.push({ point: measured.point, verdict, e2eMs });
      return { summary: { limit: verdict }, capacity: answerOf(seen, plan, false) };
    },
    skip: () => {},
    close: () => closePoints(db, run, answerOf(seen, plan, true)),
    toleratesFailures: true,
  };
}

/** The figures of a measured repetition; null if it failed, or if its worker was stopped. */
function storedFigures(summary: Record<string, unknown>): RepetitionFigures | null {
  const { metrics, requests, sent_s } = summary as Partial<StoredSummary> & { requests: { ok: number } };
  if (metrics == null || requests.ok === 0 || sent_s !== undefined) return null;
  return {
    'output tok/s': metrics.output_tok_s ?? null,
    // Managed runs measure only endpoints that generate tokens.
    'req/s': null,
    'mean TTFT': metrics.ttft_ms_mean ?? null,
    'mean TPOT': metrics.tpot_ms_mean ?? null,
  };
}

/** True if a point could not be measured, such as one that is too long for the server: it is not repeated. */
const isSkipped = (summary: Record<string, unknown>) => summary.metrics === null;

/** The points of a plan, each repeated until it is stable. */
async function repeatedPoints(db: Database['db'], run: ClaimedRun, until: Until): Promise<RunPoints> {
  const rows = await listMeasuredPoints(db, run.runId);
  const open = await listOpenPoints(db, run.runId);
  const firsts = [...rows, ...open].map(({ point }) => point).filter(({ repetition }) => repetition === 1);
  const seen = rows.map(({ point, summary }): Repetition => ({ point, figures: storedFigures(summary) }));
  const skipped = new Set(rows.filter(({ summary }) => isSkipped(summary)).map(({ point }) => itemKey(point)));
  return {
    next: async () => {
      const unfinished = open.shift();
      if (unfinished !== undefined) return unfinished;
      const measurable = firsts.filter((first) => !skipped.has(itemKey(first)));
      const point = nextRepetition(measurable, seen, until);
      if (point === null) return null;
      const requests = seen.reduce((sum, one) => sum + requestsOfPoint(one.point), requestsOfPoint(point));
      return requests > run.requestsTotal ? null : addPoint(db, run, point);
    },
    take: ({ point, summary, record }) => {
      seen.push({ point, figures: figuresOf(summary, record) });
      const own = groupRepetitions(seen).get(itemKey(point)) ?? [];
      const { repetitions, widest, isStable } = judgeRepetitions(own, until);
      return { summary: { until: { repetitions, widest, is_stable: isStable } } };
    },
    skip: (point) => {
      seen.push({ point, figures: null });
      skipped.add(itemKey(point));
    },
    close: () => closePoints(db, run, null),
    toleratesFailures: false,
  };
}

/** The unmeasured points of a run. */
export async function pointsOf(db: Database['db'], run: ClaimedRun): Promise<RunPoints> {
  if (run.search !== null) return searchPoints(db, run, run.search);
  if (run.until !== null) return repeatedPoints(db, run, readUntil(run.until));
  return plannedPoints(await listOpenPoints(db, run.runId));
}
