import { findEndpoint } from '@inferboard/db/runs/endpoint';
import {
  clockErrorMs,
  type DatabaseClock,
  monotonicMs,
  readDatabaseClock,
} from '@inferboard/db/runs/shares/database-clock';
import {
  claimShare,
  failShare,
  finishShare,
  type HeldShare,
  readShareJob,
  readyShare,
} from '@inferboard/db/runs/shares/help';
import { type LoadPlan, measureLoad, UnreachableError } from '@inferboard/loadgen/measure/measure-load';
import type { RunDeps } from '../deps.ts';
import { reachEndpoint } from '../runs/reach-endpoint.ts';
import { RunFailure } from '../runs/run-failure.ts';
import { packRecord, ShareFormatError, type ShareJob, unpackJob } from './share-job.ts';
import { ShareLease, ShareStopped } from './share-lease.ts';

/** How long a worker does not help again with a run after it failed to. */
const failedPauseMs = 120_000;

/** The requests of a share, to the address that this worker checked, with the credential that it opened. */
async function planOf(deps: RunDeps, held: HeldShare, job: ShareJob, signal: AbortSignal): Promise<LoadPlan> {
  const endpoint = await findEndpoint(deps.database.db, held.endpointId, null);
  if (endpoint === null) throw new RunFailure('endpoint_removed', 'The endpoint was removed.');
  const { server } = await reachEndpoint(deps, endpoint, signal);
  const { path, bodies, pace, limits, hasDocuments } = job;
  return {
    ...{ connect: server.connect, path, bodies, pace, limits, threads: deps.runThreads, warmsUp: deps.warmsUp },
    headers: { ...(hasDocuments && { accept: 'application/json' }), ...server.headers },
    ...(hasDocuments && { hasDocuments }),
  };
}

/** Measures the share of one point, and stores its records. */
async function measureShare(deps: RunDeps, held: HeldShare, lease: ShareLease, round: number): Promise<void> {
  const { db } = deps.database;
  const packed = await readShareJob(db, held);
  if (packed === null) return;
  const plan = await planOf(deps, held, await unpackJob(packed), lease.signal);
  const clock: { before: DatabaseClock | null } = { before: null };
  const record = await measureLoad(plan, {
    signal: lease.signal,
    onProgress: (counts) => lease.setCounts(counts),
    startAt: async () => {
      const before = await readDatabaseClock(db);
      clock.before = before;
      await readyShare(db, held, before.errorMs);
      const at = (await lease.startOf(round)) - before.offsetMs;
      if (at < monotonicMs()) throw new RunFailure('worker_lost', 'it received the start too late');
      return at;
    },
  });
  if (clock.before === null) return;
  const error = clockErrorMs(clock.before, await readDatabaseClock(db));
  await finishShare(db, held, await packRecord(record), error);
}

/** Why a share cannot be measured, in words for readers of the run. Addresses are only logged. */
function failureWords(error: unknown): string {
  if (error instanceof UnreachableError) return 'the endpoint does not accept its connections';
  if (error instanceof RunFailure || error instanceof ShareFormatError) return error.message.replace(/\.$/, '');
  return 'an internal error occurred';
}

/** Measures a share of each point of a run until the run ends. Returns false if this worker cannot. */
async function helpWithRun(deps: RunDeps, held: HeldShare, stopping: AbortSignal): Promise<boolean> {
  const lease = new ShareLease(deps, held, stopping);
  try {
    for (let round = 0; ; ) {
      round = await lease.nextRound(round);
      await measureShare(deps, held, lease, round);
    }
  } catch (error) {
    if (error instanceof ShareStopped || lease.signal.aborted) return true;
    deps.log('error', `run ${held.runId}: share ${held.share} failed`, { error: String(error) });
    await failShare(deps.database.db, held, failureWords(error));
    return false;
  } finally {
    await lease.release();
  }
}

/** Helps with the runs of other workers. */
export function createHelper(deps: RunDeps) {
  /** Runs that this worker failed to help with, and when. */
  const failed = new Map<string, number>();
  // One claim at a time: a process with several slots has at most one share of a run.
  let claiming: Promise<unknown> = Promise.resolve();
  const claim = () => {
    const next = claiming.then(() => claimShare(deps.database.db, deps.workerId, [...failed.keys()]));
    claiming = next.catch(() => undefined);
    return next;
  };
  return {
    /** Claims an open share and measures it. Returns false if there is none. */
    async help(stopping: AbortSignal): Promise<boolean> {
      for (const [id, at] of failed) if (performance.now() - at > failedPauseMs) failed.delete(id);
      const held = await claim();
      if (held === null) return false;
      const { runId, share } = held;
      deps.log('info', `run ${runId}: share ${share}`, { run_id: runId, share });
      const attributes = { 'inferboard.run.id': runId, 'inferboard.run.share': share };
      const helped = await deps.tracing.span('share of a run', { parent: null, attributes }, () =>
        helpWithRun(deps, held, stopping),
      );
      if (!helped) failed.set(runId, performance.now());
      return true;
    },
  };
}
