import type { PlanPoint } from '@inferboard/core/plans/point';
import { type Counts, type LoadPlan, type LoadRecord, measureLoad } from '../measure/measure-load.ts';
import { type LoadSummary, summariseLoad } from '../measure/summarise-load.ts';
import { pacerOf } from '../pacing/pacer.ts';
import { deriveSeed } from '../pacing/random.ts';
import { requestBody } from '../prompts/body.ts';
import { type PointPrompts, type PromptOptions, promptsOf } from './prompts.ts';
import { type ModelServer, pathOf } from './server.ts';

export interface PointOptions extends PromptOptions {
  /** From start to end of a request. */
  requestTimeout_ms?: number;
  /** Between two chunks. */
  stall_ms?: number;
  /** Requests that may fail one after the other before the point is given up; no limit by default. */
  failuresInRowMax?: number | undefined;
  /** Gives up what is under way; what was measured by then is the result. */
  signal?: AbortSignal;
  onProgress?: (counts: Counts) => void;
}

/** Why a point has fewer requests than planned. */
export type CutReason = 'time_limit' | 'failures' | 'canceled';

export interface MeasuredPoint {
  point: PlanPoint;
  record: LoadRecord;
  summary: LoadSummary;
  /** What ended it early, and the requests that it brought to an end of those planned; null where nothing did. */
  cut: { reason: CutReason; ended: number; planned: number } | null;
  /** Tokens that each request asked for, by its index. */
  askedTokens: number[];
  /** What was asked otherwise than usual, in words. */
  notes: readonly string[];
  /** See `PointPrompts`. */
  length: PointPrompts['length'];
}

const usual = { requestTimeout_ms: 600_000, stall_ms: 120_000 };

/** The plan of a point's load, its prompts numbered from `from`. */
function loadPlanOf(
  server: ModelServer,
  point: PlanPoint,
  prompts: PointPrompts,
  options: PointOptions,
  part: { from: number; requests: number },
): LoadPlan {
  const { requestTimeout_ms = usual.requestTimeout_ms, stall_ms = usual.stall_ms, failuresInRowMax } = options;
  const bodies = Array.from({ length: part.requests }, (_, at) =>
    JSON.stringify(requestBody({ ...server, ...prompts.at(part.from + at) })),
  );
  const pacer = pacerOf(point.load, { requests: part.requests, seed: deriveSeed(point.seed, point.key) });
  const pace: LoadPlan['pace'] =
    pacer.kind === 'closed'
      ? { mode: 'closed', concurrency: pacer.inFlight }
      : { mode: 'open', due_ms: pacer.dueMs, maxInFlight: pacer.inFlightMax };
  const duration_ms = point.durationMaxS === null ? null : point.durationMaxS * 1000;
  return {
    connect: server.connect,
    path: pathOf(server),
    headers: { ...server.headers },
    bodies,
    pace,
    limits: {
      duration_ms,
      outputTokens: null,
      request_timeout_ms: requestTimeout_ms,
      stall_ms,
      ...(failuresInRowMax !== undefined && { failuresInRow: failuresInRowMax }),
    },
  };
}

function cutOf(record: LoadRecord, planned: number, isCanceled: boolean): MeasuredPoint['cut'] {
  const ended = record.requests.filter(({ outcome }) => outcome !== 'cancelled' && outcome !== 'dropped').length;
  if (ended === planned) return null;
  if (record.given_up) return { reason: 'failures', ended, planned };
  if (isCanceled) return { reason: 'canceled', ended, planned };
  // An open loop drops what its cap held back until the time was over; without a limit of time nothing is.
  return { reason: 'time_limit', ended, planned };
}

/**
 * Measures one point of a plan: finds its prompts, warms up, and sends its load. What the warm-up brought is forgotten.
 *
 * @throws CalibrationError where the server does not say how long prompts are, or cuts them; DatasetError;
 *   UnreachableError
 */
export async function measurePoint(
  server: ModelServer,
  point: PlanPoint,
  options: PointOptions,
): Promise<MeasuredPoint> {
  const { warmup, requests } = point;
  const prompts = await promptsOf(point, options);
  const { signal, onProgress } = options;
  if (warmup > 0) {
    const load = { mode: 'concurrency' as const, level: Math.min(warmup, Math.ceil(point.load.level)) };
    const plan = loadPlanOf(server, { ...point, load }, prompts, options, { from: requests, requests: warmup });
    await measureLoad(plan, { ...(signal !== undefined && { signal }) });
  }
  const plan = loadPlanOf(server, point, prompts, options, { from: 0, requests });
  const record = await measureLoad(plan, {
    ...(signal !== undefined && { signal }),
    ...(onProgress !== undefined && { onProgress }),
  });
  const askedTokens = Array.from({ length: requests }, (_, index) => prompts.at(index).outputTokens);
  return {
    point,
    record,
    summary: summariseLoad(record, { asked: askedTokens }),
    cut: cutOf(record, requests, signal?.aborted ?? false),
    askedTokens,
    notes: server.notes ?? [],
    length: prompts.length,
  };
}
