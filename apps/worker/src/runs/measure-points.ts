import type { Sample } from '@inferboard/core/observed/engine-state';
import { type RequestLimits, readRequestLimits, requestLimitsOf } from '@inferboard/core/plans/latency-limits';
import { errorsUsual } from '@inferboard/core/plans/plan-schema';
import { type PlanPoint, requestsOfPoint } from '@inferboard/core/plans/point';
import { sizeFault } from '@inferboard/core/plans/point-size';
import { pack } from '@inferboard/db/copy/packing';
import { type EndpointRow, findEndpoint } from '@inferboard/db/runs/endpoint';
import { countingRequests } from '@inferboard/db/runs/endpoint-budget';
import type { ClaimedRun } from '@inferboard/db/runs/run-claim';
import { findTimeline, finishPoint, type StoredPoint } from '@inferboard/db/runs/run-progress';
import { type Counts, UnreachableError } from '@inferboard/loadgen/measure/measure-load';
import { deriveSeed } from '@inferboard/loadgen/pacing/random';
import { describeFailures } from '@inferboard/loadgen/points/failure-words';
import type { MeasuredPoint } from '@inferboard/loadgen/points/measure-point';
import { toNativeReport } from '@inferboard/loadgen/points/native-report';
import { PromptRefusedError, refusalOfError, refusalOfRecord } from '@inferboard/loadgen/points/refusal';
import { CalibrationError } from '@inferboard/loadgen/prompts/calibration-error';
import { type CountTokens, createCalibrator } from '@inferboard/loadgen/prompts/calibrator';
import { DatasetError } from '@inferboard/loadgen/prompts/datasets/dataset-error';
import { openPlanned } from '@inferboard/loadgen/traffic/load-traffic';
import type { RunDeps } from '../deps.ts';
import type { Team } from '../shares/lead-shares.ts';
import { type CheckedServer, checkServer } from './check-server.ts';
import { countByUsage, postTo } from './count-prompts.ts';
import { type HeldLease, RunStopped } from './lease.ts';
import { datasetMissing, refusedWords, summaryOf, unmeasuredOf } from './point-summary.ts';
import { reachEndpoint } from './reach-endpoint.ts';
import { retryWhileDown } from './retry-while-down.ts';
import { budgetOf } from './run-budget.ts';
import { RunFailure } from './run-failure.ts';
import type { RunPoints } from './run-points.ts';
import { extendTimeline, measureWatched, type WatchedPoint } from './watched-point.ts';

/** Maximum prompts to count per run if the endpoint has no request limit. */
const countsUsual = 100;
/** Consecutive points without a result after which a run is given up. */
const fruitlessPointsMax = 3;

/** Converts errors caused by the run to failures; other errors are internal. */
function toFailure(error: unknown): unknown {
  if (error instanceof UnreachableError)
    return new RunFailure('endpoint_unreachable', 'The endpoint does not accept connections.', { isPassing: true });
  if (error instanceof DatasetError)
    return new RunFailure('scenario_not_runnable', 'The data set of the scenario is not available here.');
  if (error instanceof PromptRefusedError) return new RunFailure('scenario_not_runnable', `${error.message}.`);
  if (error instanceof CalibrationError)
    return new RunFailure('prompts_uncounted', `Prompts of an exact length cannot be made: ${error.message}.`);
  return error;
}

/** Why a point cannot be measured, although the others may be; null for errors that end the run. */
function skipReason(error: unknown, point: PlanPoint): string | null {
  if (error instanceof DatasetError) return datasetMissing(point);
  const refusal = refusalOfError(error);
  return refusal === null ? null : refusedWords(refusal);
}

async function packReport(measured: MeasuredPoint, { system, detected }: CheckedServer, observed: readonly Sample[]) {
  if (measured.summary.by_outcome.ok === 0) return null;
  return pack(Buffer.from(`${JSON.stringify(toNativeReport(measured, system, { observed, detected }))}\n`));
}

/** A stop after which the worker still owns the run and may store what it measured; null if there is none. */
const stopOf = ({ aborted, reason }: AbortSignal): RunStopped | null =>
  aborted && reason instanceof RunStopped && reason.reason !== 'lost' ? reason : null;

/** Names the worker as what ended a point, if it was not its owner. */
const withStop = (measured: MeasuredPoint, stop: RunStopped | null): MeasuredPoint =>
  stop?.reason === 'stopping' && measured.cut?.reason === 'canceled'
    ? { ...measured, cut: { ...measured.cut, reason: 'stopped' } }
    : measured;

/** Limits of one request for the goodput: those of the plan, or those of its search. */
function limitsFor({ slo, search }: ClaimedRun): RequestLimits | undefined {
  if (slo !== null) return readRequestLimits(slo);
  return search === null ? undefined : requestLimitsOf(search.limits);
}

/**
 * A point as it is sent, and its requests if a plan states more than their lengths. Those begin alike in every attempt, so that
 * a later one, of which the server has cached the prompts, has another seed.
 */
function sentAs(point: PlanPoint, { attempt }: ClaimedRun, countTokens: CountTokens) {
  const source = openPlanned(point.scenario);
  if (source === null) return { sent: point, traffic: {} };
  const sent = attempt === 1 ? point : { ...point, seed: deriveSeed(point.seed, 'attempt', attempt) };
  return { sent, traffic: { traffic: { source, ramp: null, countTokens } } };
}

/** The inputs of a measurement. */
export interface Work {
  run: ClaimedRun;
  endpoint: EndpointRow;
  points: RunPoints;
  lease: HeldLease;
  /** The workers that share the requests; null for one worker. */
  team: Team | null;
}

/**
 * Measures the remaining points of a run one after the other, and stores each when it is over.
 *
 * @param onPoint called after each stored point
 * @throws RunFailure, LeaseLostError, or the lease's `RunStopped`
 */
export async function measurePoints(deps: RunDeps, work: Work, onPoint: () => void): Promise<void> {
  const { run, endpoint, points, lease, team } = work;
  const { db } = deps.database;
  const { signal } = lease;
  // Differs per attempt: the server has cached the prompts of an earlier one.
  const salt = `${run.runId} ${run.attempt}`;
  const budget = budgetOf(deps, endpoint);
  const first = await reachEndpoint(deps, endpoint, signal);
  const asking = { spend: () => budget.count(first.names), signal };
  const post = postTo(deps, endpoint, first, asking);
  let checked: CheckedServer | null = null;
  const countTokens = countByUsage(() => checked?.server ?? first.server, post, signal);
  const countsMax = budget.isScarce ? countingRequests : countsUsual;
  const calibrator = createCalibrator({ countTokens, seed: run.seed, salt, countsMax });
  const datasets = { load: deps.loadDataset, countTokens };
  // A point is given up to spare a server that does not respond.
  const failuresInRowMax = run.errorsMax ?? errorsUsual;
  let requestsDone = run.requestsDone;
  let fruitless = 0;
  let timeline = endpoint.metricsUrl === null ? null : await findTimeline(db, run.runId);
  /** How the requests of the last point failed, if none succeeded. */
  let failures: string | null = null;

  const skip = async (stored: StoredPoint, why: string) => {
    requestsDone += requestsOfPoint(stored.point);
    lease.setRequestsDone(requestsDone);
    points.skip(stored.point);
    const brought = { summary: unmeasuredOf(stored.point, why), report: null, requestsDone };
    await retryWhileDown(() => finishPoint(db, run, stored, brought), signal);
    onPoint();
  };

  for (let stored = await points.next(); stored !== null; stored = await points.next()) {
    signal.throwIfAborted();
    const { point } = stored;
    const size = sizeFault(point);
    if (size !== null) throw new RunFailure('scenario_not_runnable', `The point ${point.key} ${size}.`);
    // Endpoints may be removed and DNS may change during a run of hours, so both are checked for each point.
    if ((await findEndpoint(db, endpoint.id, null)) === null)
      throw new RunFailure('endpoint_removed', 'The endpoint was removed.');
    const reached = await reachEndpoint(deps, endpoint, signal);
    const held = await budget.hold(reached.names, point);
    let watched: WatchedPoint;
    try {
      // Counting prompts sends requests, so it also needs a held point.
      checked ??= await checkServer(deps, endpoint, first, asking);
      const { connect, headers } = reached.server;
      const server = { ...checked.server, connect, headers };
      const { sent, traffic } = sentAs(point, run, countTokens);
      const measuring = {
        ...traffic,
        ...{ calibrator, salt, datasets, failuresInRowMax, threads: deps.runThreads, warmsUp: deps.warmsUp },
        ...{ signal: AbortSignal.any([signal, held.signal]), requestLimits: limitsFor(run) },
        ...(team !== null && { measure: team.measure.bind(team) }),
        onProgress: (counts: Counts) => lease.setRequestsDone(requestsDone + counts.done + counts.failed),
      };
      const attributes = { 'inferboard.point.key': point.key, 'inferboard.point.requests': requestsOfPoint(point) };
      watched = await deps.tracing.span('measure point', { attributes }, () =>
        measureWatched(deps, { endpoint, reached, lease }, [server, sent, measuring]),
      );
    } catch (error) {
      signal.throwIfAborted();
      held.throwIfLost();
      const why = run.search === null ? skipReason(error, point) : null;
      if (why === null) throw toFailure(error);
      const logged = error instanceof Error ? error.message : why;
      deps.log('info', `run ${run.runId}: ${logged}`, { run_id: run.runId, point: point.key });
      await skip(stored, why);
      continue;
    } finally {
      await held.release();
    }
    const stop = stopOf(signal);
    // The shares of other workers may be missing from the record of a worker that is stopped.
    const isWhole = team === null || stop?.reason !== 'stopping';
    if (stop === null || !isWhole) signal.throwIfAborted();
    held.throwIfLost();
    const { observed } = watched;
    const measured = withStop(watched.measured, stop);
    const refusal = stop !== null || points.toleratesFailures ? null : refusalOfRecord(measured.record);
    if (refusal !== null) {
      await skip(stored, refusedWords(refusal));
      continue;
    }
    const { ok } = measured.summary.by_outcome;
    requestsDone += measured.cut?.ended ?? requestsOfPoint(point);
    // The progress of a stopped point also counts its canceled requests.
    lease.setRequestsDone(requestsDone);
    const isGivenUp = measured.cut?.reason === 'failures';
    const report = await packReport(measured, checked, observed);
    timeline = extendTimeline(timeline, watched);
    const isPartial = stop !== null && measured.cut !== null;
    const found = isPartial ? null : points.take(measured);
    const summary = {
      ...summaryOf(measured, watched.trouble),
      ...found?.summary,
      ...(isPartial && { sent_s: measured.record.duration_ms / 1000 }),
    };
    const brought = { summary, report, requestsDone, timeline: timeline ?? undefined, capacity: found?.capacity };
    // A point that was stopped before the first response has no data to keep. Another worker measures it.
    if (!isPartial || (stop.publish === 'measured' && report !== null)) {
      await retryWhileDown(() => finishPoint(db, run, stored, brought), signal);
      onPoint();
    }
    signal.throwIfAborted();
    failures = ok > 0 ? null : (describeFailures(measured.record) ?? failures);
    fruitless = ok === 0 || (isGivenUp && !points.toleratesFailures) ? fruitless + 1 : 0;
    if (fruitless >= (endpoint.verifiedBy === null ? 1 : fruitlessPointsMax))
      throw new RunFailure(
        'endpoint_failing',
        `${failuresInRowMax} consecutive requests failed, at ${fruitless === 1 ? 'a point' : `${fruitless} points in a row`}; the last was ${point.key}${failures === null ? '' : `, where ${failures}`}.`,
      );
  }
  await points.close();
}
