import type { EndState } from '@inferboard/core/plans/run-state';
import { findEndpoint } from '@inferboard/db/queries/endpoint';
import type { ClaimedRun } from '@inferboard/db/queries/run-claim';
import {
  advanceRun,
  endRun,
  type Failure,
  LeaseLostError,
  listOpenPoints,
  postponeRun,
} from '@inferboard/db/queries/run-progress';
import { transact } from '@inferboard/db/transaction';
import type { RunDeps } from '../deps.ts';
import { type HeldLease, holdLease, RunStopped } from './lease.ts';
import { measurePoints } from './measure-points.ts';
import { RunFailure } from './run-failure.ts';
import { storeReports } from './store-reports.ts';
import { findEnd, tellEnd } from './tell-end.ts';

/** Claims without a new point before a run counts as one that ends its workers. */
const fruitlessMax = 25;
/** Tries at an endpoint that does not answer, and seconds before the second; each pause is twice the one before. */
const triesMax = 6;
const pauseS = 5;

async function end(deps: RunDeps, run: ClaimedRun, to: EndState, failure: Failure | null): Promise<void> {
  const seen = await findEnd(deps, run, to, failure);
  await transact(deps.database.db, async (tx) => {
    await endRun(tx, run, to, failure);
    await tellEnd(deps, tx, run, seen);
  });
  const why = failure === null ? '' : ` (${failure.code})`;
  deps.log('info', `run ${run.runId}: ${to}${why}`, { run_id: run.runId, state: to, failure: failure?.code ?? null });
}

async function measure(deps: RunDeps, run: ClaimedRun, lease: HeldLease, onPoint: () => void): Promise<void> {
  if (run.fruitless > fruitlessMax)
    throw new RunFailure('run_crashed', `${fruitlessMax} workers ended while they measured the next point.`);
  const endpoint = await findEndpoint(deps.database.db, run.endpointId, null);
  if (endpoint === null) throw new RunFailure('endpoint_removed', 'The endpoint was removed.');
  const points = await listOpenPoints(deps.database.db, run.runId);
  await advanceRun(deps.database.db, run, 'running');
  await measurePoints(deps, { run, endpoint, points, lease }, onPoint);
  await advanceRun(deps.database.db, run, 'completed');
}

/** What becomes of a run that could not be measured to its end. */
async function giveUp(deps: RunDeps, run: ClaimedRun, error: unknown, tries: number): Promise<void> {
  const { db } = deps.database;
  if (error instanceof RunStopped) {
    if (error.reason === 'canceled') {
      await storeReports(deps, run);
      await end(deps, run, 'canceled', null);
    }
    // Another worker goes on at once.
    if (error.reason === 'stopping') await postponeRun(db, run, { seconds: 0, message: 'The worker stops.' });
    return;
  }
  if (!(error instanceof RunFailure)) throw error;
  if (error.isPassing && tries < triesMax) {
    await postponeRun(db, run, { seconds: pauseS * 2 ** (tries - 1), message: error.message });
    return;
  }
  await storeReports(deps, run);
  await end(deps, run, 'failed', { code: error.code, message: error.message });
}

/**
 * Takes a claimed run as far as it goes: measured, stored and ended, given back for a later try, or left to whoever has
 * it now. An error of ours leaves it claimed; it is resumed when the lease is over.
 */
export async function workOnRun(deps: RunDeps, run: ClaimedRun, stopping: AbortSignal): Promise<void> {
  const lease = holdLease(deps, run, stopping);
  let measured = 0;
  try {
    if (run.isCancelAsked) {
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
    await end(deps, run, 'processed', null);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    deps.log('info', error.message);
  } finally {
    await lease.release();
  }
}
