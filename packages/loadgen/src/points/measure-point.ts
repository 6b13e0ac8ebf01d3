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
  signal?: AbortSignal;
  onProgress?: (counts: Counts) => void;
}

export interface MeasuredPoint {
  point: PlanPoint;
  record: LoadRecord;
  summary: LoadSummary;
  /** Tokens that each request asked for, by its index. */
  askedTokens: number[];
  /** See `PointPrompts`. */
  length: PointPrompts['length'];
}

const usual = { requestTimeout_ms: 600_000, stall_ms: 120_000 };

/** The plan of a point's load, its prompts numbered from `from`. */
function loadPlanOf(
  server: ModelServer,
  point: PlanPoint,
  prompts: PointPrompts,
  { requestTimeout_ms = usual.requestTimeout_ms, stall_ms = usual.stall_ms }: PointOptions,
  part: { from: number; requests: number },
): LoadPlan {
  const { endpoint, dialect, model, forcing } = server;
  const bodies = Array.from({ length: part.requests }, (_, at) =>
    JSON.stringify(requestBody({ endpoint, dialect, model, forcing, ...prompts.at(part.from + at) })),
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
    limits: { duration_ms, outputTokens: null, request_timeout_ms: requestTimeout_ms, stall_ms },
  };
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
    askedTokens,
    length: prompts.length,
  };
}
