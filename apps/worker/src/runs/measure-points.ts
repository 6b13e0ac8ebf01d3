import { pack } from '@inferboard/db/packing';
import { type EndpointRow, findEndpoint } from '@inferboard/db/queries/endpoint';
import { countingRequests } from '@inferboard/db/queries/endpoint-budget';
import type { ClaimedRun } from '@inferboard/db/queries/run-claim';
import { finishPoint, listReports, type StoredPoint } from '@inferboard/db/queries/run-progress';
import { type Counts, UnreachableError } from '@inferboard/loadgen/measure/measure-load';
import { describeFailures } from '@inferboard/loadgen/points/failure-words';
import { type MeasuredPoint, measurePoint } from '@inferboard/loadgen/points/measure-point';
import { type ReportedSystem, toNativeReport } from '@inferboard/loadgen/points/native-report';
import type { ModelServer } from '@inferboard/loadgen/points/server';
import { settleServer } from '@inferboard/loadgen/points/settle-server';
import { CalibrationError } from '@inferboard/loadgen/prompts/calibration-error';
import { createCalibrator } from '@inferboard/loadgen/prompts/calibrator';
import { DatasetError } from '@inferboard/loadgen/prompts/datasets/dataset-error';
import type { RunDeps } from '../deps.ts';
import { countByUsage, postTo } from './count-prompts.ts';
import { type HeldLease, RunStopped } from './lease.ts';
import { summaryOf, unmeasuredOf } from './point-summary.ts';
import { reachEndpoint } from './reach-endpoint.ts';
import { budgetOf } from './run-budget.ts';
import { RunFailure } from './run-failure.ts';
import { whileAway } from './while-away.ts';

/** Prompts counted for a run at most, where nobody counts them. */
const countsUsual = 100;
/** Requests that fail one after the other before a point is given up: nobody is hammered who does not answer. */
const failuresInRowMax = 5;
/** Points in a row that bring nothing before a run is given up. */
const fruitlessPointsMax = 3;

function systemOf({ model, facts }: EndpointRow): ReportedSystem {
  return {
    model,
    quantization: facts.quantization ?? null,
    gpu: facts.gpu ?? null,
    gpuCount: facts.gpu_count ?? null,
    gpuPowerLimitW: facts.gpu_power_limit_w ?? null,
    engine: facts.engine ?? null,
    engineVersion: facts.engine_version ?? null,
    tensorParallel: facts.tensor_parallel ?? null,
  };
}

/** What of a thrown error is the run's own trouble; anything else is ours. */
function toFailure(error: unknown): unknown {
  if (error instanceof UnreachableError)
    return new RunFailure('endpoint_unreachable', 'The endpoint takes no connection.', { isPassing: true });
  if (error instanceof CalibrationError)
    return new RunFailure('prompts_uncounted', `Prompts of an exact length cannot be made: ${error.message}.`);
  return error;
}

async function packReport(measured: MeasuredPoint, endpoint: EndpointRow) {
  if (measured.summary.by_outcome.ok === 0) return null;
  return pack(Buffer.from(`${JSON.stringify(toNativeReport(measured, systemOf(endpoint)))}\n`));
}

const isCanceled = ({ aborted, reason }: AbortSignal) =>
  aborted && reason instanceof RunStopped && reason.reason === 'canceled';

/** What a run is measured with. */
export interface Work {
  run: ClaimedRun;
  endpoint: EndpointRow;
  points: readonly StoredPoint[];
  lease: HeldLease;
}

/**
 * Measures the points of a run that are left, one after the other, and stores each when it is over.
 *
 * @returns how many it stored, by `onPoint` as they come
 * @throws RunFailure, LeaseLostError, or the `RunStopped` of the lease
 */
export async function measurePoints(deps: RunDeps, work: Work, onPoint: () => void): Promise<void> {
  const { run, endpoint, points, lease } = work;
  const { db } = deps.database;
  const { signal } = lease;
  // Fresh with every attempt: what one that died had sent is in the server's cache.
  const salt = `${run.runId} ${run.attempt}`;
  const budget = budgetOf(deps, endpoint);
  const first = await reachEndpoint(deps, endpoint, signal);
  const post = postTo(deps, endpoint, first, { spend: () => budget.count(first.names), signal });
  let settled: ModelServer | null = null;
  const settle = () =>
    settleServer(first.server, null, async (path, body) => {
      const { status, bytes } = await post(path, body);
      return { status, text: Buffer.from(bytes).toString() };
    });
  const countTokens = countByUsage(() => settled ?? first.server, post, signal);
  const countsMax = budget.isScarce ? countingRequests : countsUsual;
  const calibrator = createCalibrator({ countTokens, seed: run.seed, salt, countsMax });
  const datasets = { load: deps.loadDataset, countTokens };
  let requestsDone = run.requestsDone;
  let fruitless = 0;
  /** How the requests of the last point failed if none succeeded. */
  let failures: string | null = null;

  for (const stored of points) {
    signal.throwIfAborted();
    const { point } = stored;
    // Over the hours of a run endpoints are removed and names change hands: looked up and checked again for each point.
    if ((await findEndpoint(db, endpoint.id, null)) === null)
      throw new RunFailure('endpoint_removed', 'The endpoint was removed.');
    const { server: reached, names } = await reachEndpoint(deps, endpoint, signal);
    const held = await budget.hold(names, point);
    let measured: MeasuredPoint;
    try {
      // Like the counting of prompts, of a point that is held.
      settled ??= await settle();
      const server = { ...settled, connect: reached.connect, headers: reached.headers };
      const measuring = {
        ...{ calibrator, salt, datasets, failuresInRowMax, signal: AbortSignal.any([signal, held.signal]) },
        onProgress: (counts: Counts) => lease.tell(requestsDone + counts.done + counts.failed),
      };
      const attributes = { 'inferboard.point.key': point.key, 'inferboard.point.requests': point.requests };
      measured = await deps.tracing.span('measure point', { attributes }, () => measurePoint(server, point, measuring));
    } catch (error) {
      signal.throwIfAborted();
      held.throwIfLost();
      if (!(error instanceof DatasetError)) throw toFailure(error);
      deps.log('info', `run ${run.runId}: ${error.message}`, { run_id: run.runId, point: point.key });
      requestsDone += point.requests;
      await finishPoint(db, run, stored, { summary: unmeasuredOf(point), report: null, requestsDone });
      continue;
    } finally {
      await held.release();
    }
    if (!isCanceled(signal)) signal.throwIfAborted();
    held.throwIfLost();
    const { ok } = measured.summary.by_outcome;
    requestsDone += point.requests;
    // A point that was given up half-way is another load than the one it is named for.
    const isGivenUp = measured.cut?.reason === 'failures';
    const report = isGivenUp ? null : await packReport(measured, endpoint);
    const brought = { summary: summaryOf(measured), report, requestsDone };
    // Of a point that was canceled before an answer came there is nothing to keep.
    if (!signal.aborted || report !== null) {
      await whileAway(() => finishPoint(db, run, stored, brought), signal);
      onPoint();
    }
    signal.throwIfAborted();
    failures = ok > 0 ? null : (describeFailures(measured.record) ?? failures);
    fruitless = ok === 0 || isGivenUp ? fruitless + 1 : 0;
    if (fruitless >= (endpoint.verifiedBy === null ? 1 : fruitlessPointsMax))
      throw new RunFailure(
        'endpoint_failing',
        `${failuresInRowMax} requests in a row failed, at ${fruitless === 1 ? 'a point' : `${fruitless} points in a row`}; the last was ${point.key}${failures === null ? '' : `, where ${failures}`}.`,
      );
  }
  if (failures !== null && (await listReports(db, run.runId, 1)).length === 0)
    throw new RunFailure('endpoint_failing', `No request succeeded: ${failures}.`);
}
