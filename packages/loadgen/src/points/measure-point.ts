import type { PlanPoint } from '@inferboard/core/plans/point';
import { type Counts, type LoadPlan, type LoadRecord, measureLoad } from '../measure/measure-load.ts';
import { type LoadSummary, summariseLoad } from '../measure/summarise-load.ts';
import { pacerOf } from '../pacing/pacer.ts';
import { deriveSeed } from '../pacing/random.ts';
import { requestBody } from '../prompts/body.ts';
import { CalibrationError } from '../prompts/calibration-error.ts';
import type { Calibrator } from '../prompts/calibrator.ts';
import { composeText, type PromptShape } from '../prompts/compose.ts';
import { type ModelServer, pathOf } from './server.ts';

export interface PointOptions {
  calibrator: Calibrator;
  /** Makes the beginnings of prompts fresh, such as the id of the run. */
  salt: string;
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
  /** Tokens of a prompt as asked, and by how many the server counted more or fewer. */
  prompt: Pick<PromptShape, 'inputTokens' | 'offBy' | 'isAdditive'>;
}

const usual = { requestTimeout_ms: 600_000, stall_ms: 120_000 };

/** The plan of a point's load, its prompts numbered from `from`. */
function loadPlanOf(
  server: ModelServer,
  point: PlanPoint,
  shape: PromptShape,
  { salt, requestTimeout_ms = usual.requestTimeout_ms, stall_ms = usual.stall_ms }: PointOptions,
  part: { from: number; requests: number },
): LoadPlan {
  const { endpoint, dialect, model, forcing } = server;
  const outputTokens = point.scenario.outputTokens ?? 0;
  const seed = deriveSeed(point.seed, point.key);
  const bodies = Array.from({ length: part.requests }, (_, at) => {
    const prompt = composeText(shape, { seed, salt, index: part.from + at });
    return JSON.stringify(requestBody({ endpoint, dialect, model, prompt, outputTokens, forcing }));
  });
  const pacer = pacerOf(point.load, { requests: part.requests, seed });
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
 * Measures one point of a plan: finds the length of its prompts, warms up, and sends its load. What the warm-up brought is
 * forgotten.
 *
 * @throws CalibrationError where the server does not say how long prompts are, or cuts them; UnreachableError
 */
export async function measurePoint(
  server: ModelServer,
  point: PlanPoint,
  options: PointOptions,
): Promise<MeasuredPoint> {
  const { scenario, warmup, requests } = point;
  const { inputTokens, outputTokens } = scenario;
  if (inputTokens === null || outputTokens === null) throw new RangeError(`${scenario.id} has no lengths of its own`);
  const shape = await options.calibrator.fit(inputTokens);
  if (shape.isCut)
    throw new CalibrationError(
      'count_invalid',
      `the server cuts prompts of ${inputTokens} tokens off: none can be measured`,
    );
  const { signal, onProgress } = options;
  if (warmup > 0) {
    const load = { mode: 'concurrency' as const, level: Math.min(warmup, Math.ceil(point.load.level)) };
    const plan = loadPlanOf(server, { ...point, load }, shape, options, { from: requests, requests: warmup });
    await measureLoad(plan, { ...(signal !== undefined && { signal }) });
  }
  const plan = loadPlanOf(server, point, shape, options, { from: 0, requests });
  const record = await measureLoad(plan, {
    ...(signal !== undefined && { signal }),
    ...(onProgress !== undefined && { onProgress }),
  });
  const { offBy, isAdditive } = shape;
  return {
    point,
    record,
    summary: summariseLoad(record, { asked: outputTokens }),
    prompt: { inputTokens, offBy, isAdditive },
  };
}
