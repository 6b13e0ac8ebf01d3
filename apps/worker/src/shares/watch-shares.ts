import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedRun } from '@inferboard/db/runs/run-claim';
import { listShares, type SeenShare } from '@inferboard/db/runs/shares/lead';
import type { Counts } from '@inferboard/loadgen/measure/measure-load';
import type { WorkerDeps } from '../deps.ts';
import { RunFailure } from '../runs/run-failure.ts';

const pollMs = 200;

/** A measurement is not valid without one of its workers: the load was lower than planned. */
export const lostWorker = (why: string | null): RunFailure =>
  new RunFailure(
    'worker_lost',
    `A worker that shared the requests of a point stopped${why === null ? '' : `: ${why}`}.`,
    {
      isPassing: true,
    },
  );

/** Watches the shares of a point. */
export interface ShareWatch {
  /** Aborted with a `RunFailure` if a worker stops before its share is done. */
  readonly lost: AbortSignal;
  /** As last read. */
  shares(): readonly SeenShare[];
  /** Counts of all shares, given those of this worker. */
  countsWith(own: Counts): Counts;
  /** Waits until all shares meet a condition. @throws RunFailure, the reason of the signal */
  until(condition: (share: SeenShare) => boolean, limits: { signal?: AbortSignal; timeout_ms?: number }): Promise<void>;
  stop(): Promise<void>;
}

const atWork = new Set<SeenShare['state']>(['assigned', 'ready']);

/** Why a share is lost; null if it is not. */
function lossOf({ claims }: SeenShare, now: SeenShare | undefined): RunFailure | null {
  if (now?.state === 'failed') return lostWorker(now.failure);
  if (now === undefined || now.claims !== claims) return lostWorker(null);
  return now.state === 'done' || (atWork.has(now.state) && now.isHeld) ? null : lostWorker(null);
}

/** Watches assigned shares of a run until it is stopped. */
export function watchShares(
  { database, log }: WorkerDeps,
  run: ClaimedRun,
  assigned: readonly SeenShare[],
): ShareWatch {
  const lost = new AbortController();
  const stopped = new AbortController();
  let shares: readonly SeenShare[] = assigned;
  const read = async () => {
    const rows = await listShares(database.db, run);
    const now = assigned.map((share) => rows.find((row) => row.share === share.share));
    const loss = assigned.map((share, at) => lossOf(share, now[at])).find((failure) => failure !== null);
    if (loss !== undefined) lost.abort(loss);
    else shares = now.filter((row) => row !== undefined);
  };
  const watching = (async () => {
    while (!stopped.signal.aborted && !lost.signal.aborted) {
      // While the database is unavailable, the lease of the run decides.
      await read().catch((error: unknown) =>
        log('error', `run ${run.runId}: its shares were not read: ${String(error)}`),
      );
      await sleep(pollMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    lost: lost.signal,
    shares: () => shares,
    countsWith: (own) =>
      shares.reduce(
        (sum, { counts }) => ({
          done: sum.done + (counts?.done ?? 0),
          failed: sum.failed + (counts?.failed ?? 0),
          in_flight: sum.in_flight + (counts?.in_flight ?? 0),
          tokens: sum.tokens + (counts?.tokens ?? 0),
        }),
        own,
      ),
    until: async (condition, { signal, timeout_ms = Number.POSITIVE_INFINITY }) => {
      const deadline = performance.now() + timeout_ms;
      while (!shares.every(condition)) {
        lost.signal.throwIfAborted();
        signal?.throwIfAborted();
        if (performance.now() > deadline) throw lostWorker('it did not respond in time');
        await sleep(pollMs / 4);
      }
    },
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };
}
