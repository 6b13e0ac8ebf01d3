import type { EndState } from '@inferboard/core/plans/run-state';
import { transact } from '@inferboard/db/connection/transaction';
import { findEndpoint } from '@inferboard/db/runs/endpoint';
import type { ClaimedRun } from '@inferboard/db/runs/run-claim';
import { advanceRun, endRun, type Failure, LeaseLostError, postponeRun } from '@inferboard/db/runs/run-progress';
import type { RunDeps } from '../deps.ts';
import { openTeam } from '../shares/lead-shares.ts';
import { announceEnd, findEnd } from './announce-end.ts';
import { failureOfEmptyRun } from './empty-run.ts';
import { type HeldLease, holdLease, RunStopped } from './lease.ts';
import { measurePoints } from './measure-points.ts';
import { RunFailure } from './run-failure.ts';
import { pointsOf } from './run-points.ts';
import { storeReports } from './store-reports.ts';

/** Claims without a new point after which a run is assumed to crash its workers. */
const fruitlessMax = 25;
/** Maximum attempts at an unresponsive endpoint, and seconds before the second. Each delay doubles. */
const triesMax = 6;
const pauseS = 5;

async function end(deps: RunDeps, run: ClaimedRun, to: EndState, failure: Failure | null): Promise<void> {
  const seen = await findEnd(deps, run, to, failure);
  await transact(deps.database.db, async (tx) => {
    await endRun(tx, run, to, failure);
    await announceEnd(deps, tx, run, seen);
  });
  const why = failure === null ? '' : ` (${failure.code})`;
  deps.log('info', `run ${run.runId}: ${to}${why}`, { run_id: run.runId, state: to, failure: failure?.code ?? null });
}

async function measure(deps: RunDeps, run: ClaimedRun, lease: HeldLease, onPoint: () => void): Promise<void> {
  if (run.fruitless > fruitlessMax)
    throw new RunFailure('run_crashed', `${fruitlessMax} workers stopped while they measured the next point.`);
  const endpoint = await findEndpoint(deps.database.db, run.endpointId, null);
  if (endpoint === null) throw new RunFailure('endpoint_removed', 'The endpoint was removed.');
  const points = await pointsOf(deps.database.db, run);
  await advanceRun(deps.database.db, run, 'running');
  const team = await openTeam(deps, run, endpoint);
  try {
    await measurePoints(deps, { run, endpoint, points, lease, team }, onPoint);
  } finally {
    await team?.close();
  }
  await advanceRun(deps.database.db, run, 'completed');
}

/** Handles a run that could not be measured to its end. */
async function giveUp(deps: RunDeps, run: ClaimedRun, error: unknown, tries: number): Promise<void> {
  const { db } = deps.database;
  if (error instanceof RunStopped) {
    if (error.reason === 'canceled') {
      await storeReports(deps, run);
      await end(deps, run, 'canceled', null);
    }
    // Another worker continues at once.
    if (error.reason === 'stopping')
      await postponeRun(db, run, { seconds: 0, message: 'The worker stopped. Another one continues the run.' });
    return;
  }
  if (!(error instanceof RunFailure)) throw error;
  if (error.isPassing && tries < triesMax) {
    const seconds = pauseS * 2 ** (tries - 1);
    await postponeRun(db, run, { seconds, message: error.message, attempts: { failed: tries, max: triesMax } });
    return;
  }
  await storeReports(deps, run);
  await end(deps, run, 'failed', { code: error.code, message: error.message });
}

/**
 * Processes a claimed run: measures, stores and ends it, returns it for a later retry, or leaves it to its new owner. After an
 * internal error it stays claimed and is resumed when the lease ends.
 */
export async function workOnRun(deps: RunDeps, run: ClaimedRun, stopping: AbortSignal): Promise<void> {
  const lease = holdLease(deps, run, stopping);
  let measured = 0;
  try {
    if (run.isCancelAsked) {
      await storeReports(deps, run);
      await end(deps, run, 'canceled', null);
      return;
    }
    if (run.state === 'claimed') {
      try {
        await measure(deps, run, lease, () => {
          measured += 1;
        });
      } catch (error) {
        await giveUp(deps, run, error, measured > 0 ? 1 : run.fruitless);
        return;
      }
    }
    await storeReports(deps, run);
    const failure = await failureOfEmptyRun(deps.database.db, run.runId);
    await end(deps, run, failure === null ? 'processed' : 'failed', failure);
  } catch (error) {
    // Another attempt would read the same reports.
    if (error instanceof RunFailure) await end(deps, run, 'failed', { code: error.code, message: error.message });
    else if (error instanceof LeaseLostError) deps.log('info', error.message);
    else throw error;
  } finally {
    await lease.release();
  }
}
