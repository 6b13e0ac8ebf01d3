import { createHash } from 'node:crypto';
import type { PointCut } from '@inferboard/core/observed/cut-short';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { type Goodput, goodputOf } from '../capacity/goodput.ts';
import type { RequestLimits } from '../capacity/limits.ts';
import {
  type Counts,
  type LoadPlan,
  type LoadRecord,
  type MeasureOptions,
  measureLoad,
  type Outcome,
  type RequestRecord,
} from '../measure/measure-load.ts';
import { type LoadSummary, summariseLoad } from '../measure/records/summarise-load.ts';
import { pacerOf } from '../pacing/pacer.ts';
import { deriveSeed } from '../pacing/random.ts';
import { answersDocument, requestBody } from '../prompts/body.ts';
import type { TrafficFacts } from '../traffic/point-traffic.ts';
import type { Turns } from '../turns/turns.ts';
import type { RequestFacts } from './native-report.ts';
import { type PointPrompts, type PromptOptions, promptsOf } from './prompts.ts';
import { type ModelServer, pathOf } from './server.ts';

export interface PointOptions extends PromptOptions {
  /** From start to end of a request. */
  requestTimeout_ms?: number;
  /** Between two chunks. */
  stall_ms?: number;
  /** Requests that may fail one after the other before the point is given up; no limit by default. */
  failuresInRowMax?: number | undefined;
  /** Limits of the goodput. */
  requestLimits?: RequestLimits | undefined;
  /** Gives up what is under way; what was measured by then is the result. */
  signal?: AbortSignal;
  /** `requests`: all of the point, each turn of a conversation counted. */
  onProgress?: (counts: Counts, requests: number) => void;
  /** The bodies of the measured requests, before the first is sent. */
  onBodies?: (point: PlanPoint, bodies: readonly string[]) => Promise<void>;
  /** See `MeasureOptions`: never those of the warm-up. */
  onEnded?: (requests: RequestRecord[], factsOf: (index: number) => RequestFacts) => void;
  /** Threads that share the requests of a point; 1 by default. */
  threads?: number;
  /** See `LoadPlan`. */
  warmsUp?: boolean;
  /** See `LoadPlan`. */
  isRealtime?: boolean;
  /** Sends the measured requests; `measureLoad` by default. */
  measure?: ((plan: LoadPlan, options: MeasureOptions) => Promise<LoadRecord>) | undefined;
}

/** Why a point has fewer requests than planned. */
export type CutReason = PointCut['reason'];

export interface MeasuredPoint {
  point: PlanPoint;
  record: LoadRecord;
  summary: LoadSummary;
  /** Null without limits. */
  goodput: Goodput | null;
  /** What ended it early, and the requests that it brought to an end of those planned; null where nothing did. */
  cut: { reason: CutReason; ended: number; planned: number } | null;
  /** Requested tokens of each request, by its index. */
  askedTokens: number[];
  /** What was asked otherwise than usual, in words. */
  notes: readonly string[];
  /** See `PointPrompts`. */
  length: PointPrompts['length'];
  /** What the prompts of the plan's own workload were made from, and the SHA-256 of the request bodies, one a line. */
  prompts?: { seed: number; salt: string; bodiesSha256: string };
  /** Of traffic that is not the plan's own workload, with the SHA-256 of its request bodies, one a line. */
  traffic?: TrafficFacts & { bodiesSha256: string };
}

const usual = { requestTimeout_ms: 600_000, stall_ms: 120_000 };

/** The plan of a point's load, its prompts numbered from `from`. */
function loadPlanOf(
  server: ModelServer,
  point: PlanPoint,
  prompts: PointPrompts,
  options: PointOptions,
  part: { from: number; requests: number; starts: number },
): LoadPlan {
  const { requestTimeout_ms = usual.requestTimeout_ms, stall_ms = usual.stall_ms, failuresInRowMax } = options;
  const bodies = Array.from({ length: part.requests }, (_, at) =>
    JSON.stringify(
      requestBody({ ...server, usesCache: prompts.sharesPrefixes ?? false, ...prompts.at(part.from + at) }),
    ),
  );
  const hasDocuments = answersDocument(server.endpoint);
  const pacer = pacerOf(point.load, { requests: part.starts, seed: deriveSeed(point.seed, point.key) });
  const dueMs = part.from === 0 ? prompts.dueMs : undefined;
  const pace: LoadPlan['pace'] =
    pacer.kind === 'closed'
      ? { mode: 'closed', concurrency: pacer.inFlight }
      : { mode: 'open', due_ms: dueMs ?? pacer.dueMs, maxInFlight: pacer.inFlightMax };
  const duration_ms = point.durationMaxS === null ? null : point.durationMaxS * 1000;
  return {
    connect: server.connect,
    path: pathOf(server),
    headers: { ...(hasDocuments && { accept: 'application/json' }), ...server.headers },
    ...(hasDocuments && { hasDocuments }),
    bodies,
    ...(part.from === 0 && prompts.turns !== undefined && { turns: prompts.turns }),
    pace,
    ...(options.threads !== undefined && { threads: options.threads }),
    ...(options.warmsUp !== undefined && { warmsUp: options.warmsUp }),
    ...(options.isRealtime !== undefined && { isRealtime: options.isRealtime }),
    limits: {
      duration_ms,
      outputTokens: null,
      request_timeout_ms: requestTimeout_ms,
      stall_ms,
      ...(failuresInRowMax !== undefined && { failuresInRow: failuresInRowMax }),
    },
  };
}

function sha256Of(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line).update('\n');
  return hash.digest('hex');
}

/** Turns that never were due, because the answer before them was not ok. */
function unsentTurns({ requests }: LoadRecord, { first }: Turns): number {
  const failed = new Set(
    requests.filter(({ outcome }) => !isOurs(outcome) && outcome !== 'ok').map(({ index }) => index),
  );
  let unsent = 0;
  for (let conversation = 0; conversation + 1 < first.length; conversation++) {
    const [from = 0, to = 0] = [first[conversation], first[conversation + 1]];
    for (let row = from; row < to; row++) if (failed.has(row)) unsent += to - row - 1;
  }
  return unsent;
}

/** Not ended by the server, but by us. */
const isOurs = (outcome: Outcome) => outcome === 'cancelled' || outcome === 'dropped';

function cutOf(record: LoadRecord, planned: number, isCanceled: boolean): MeasuredPoint['cut'] {
  const ended = record.requests.filter(({ outcome }) => !isOurs(outcome)).length;
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
  const { signal, onProgress, onEnded } = options;
  const { rows = requests } = prompts;
  const hasDocuments = answersDocument(server.endpoint);
  // Read before the load: building a prompt takes time in proportion to its length, and records are written while tokens arrive.
  const askedTokens = hasDocuments ? [] : Array.from({ length: rows }, (_, index) => prompts.at(index).outputTokens);
  const factsOf = (index: number): RequestFacts => ({
    maxTokens: askedTokens[index] ?? null,
    row: prompts.traffic?.rows[index] ?? {},
    hasDocuments,
  });
  if (warmup > 0) {
    const load = { mode: 'concurrency' as const, level: Math.min(warmup, Math.ceil(point.load.level)) };
    const plan = loadPlanOf(server, { ...point, load }, prompts, options, {
      from: rows,
      requests: warmup,
      starts: warmup,
    });
    // Its times are not used, so its code need not be warm.
    await measureLoad({ ...plan, warmsUp: false, isWarmup: true }, { ...(signal !== undefined && { signal }) });
  }
  const plan = loadPlanOf(server, point, prompts, options, { from: 0, requests: rows, starts: requests });
  await options.onBodies?.(point, plan.bodies);
  const record = await (options.measure ?? measureLoad)(plan, {
    ...(signal !== undefined && { signal }),
    ...(onProgress !== undefined && { onProgress: (counts) => onProgress(counts, rows) }),
    ...(onEnded !== undefined && { onEnded: (ended) => onEnded(ended, factsOf) }),
  });
  const unsent = prompts.turns === undefined ? 0 : unsentTurns(record, prompts.turns);
  const bodiesSha256 = sha256Of(plan.bodies);
  const summary = summariseLoad(record, { asked: askedTokens });
  return {
    point,
    record,
    summary,
    goodput: goodputOf(record, summary, options.requestLimits),
    cut: cutOf(record, rows - unsent, signal?.aborted ?? false),
    askedTokens,
    notes: [
      ...(server.notes ?? []),
      ...(prompts.traffic?.notes ?? []),
      ...(unsent > 0 ? [`${unsent} turns were not sent, because a previous turn failed`] : []),
    ],
    length: prompts.length,
    ...(prompts.traffic === undefined
      ? { prompts: { seed: point.seed, salt: options.salt, bodiesSha256 } }
      : { traffic: { ...prompts.traffic, bodiesSha256 } }),
  };
}
