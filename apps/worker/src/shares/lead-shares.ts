import { setTimeout as sleep } from 'node:timers/promises';
import type { Packed } from '@inferboard/db/copy/packing';
import type { EndpointRow } from '@inferboard/db/runs/endpoint';
import type { ClaimedRun } from '@inferboard/db/runs/run-claim';
import { clockErrorMs, type DatabaseClock, readDatabaseClock } from '@inferboard/db/runs/shares/database-clock';
import {
  assignShare,
  closeShares,
  listShares,
  openShares,
  removeShares,
  type SeenShare,
  startShares,
  takeShareResult,
} from '@inferboard/db/runs/shares/lead';
import {
  type LoadPlan,
  type LoadRecord,
  type MeasureOptions,
  measureLoad,
} from '@inferboard/loadgen/measure/measure-load';
import { bytesOfPlan, sharePlan, shareRows, sharesMax } from '@inferboard/loadgen/measure/shares/divide';
import { inPlan, mergeRecords, type RecordedShare } from '@inferboard/loadgen/measure/shares/merge-records';
import type { RunDeps } from '../deps.ts';
import { RunStopped } from '../runs/lease.ts';
import { packJob, ShareFormatError, shareBytesMax, unpackRecord } from './share-job.ts';
import { lostWorker, type ShareWatch, watchShares } from './watch-shares.ts';

/** Time for the other workers to read the start before it arrives. */
const leadMs = 1500;
/** Time for the other workers to open their connections and to read the clock. */
const readyMs = 60_000;
/** Time for the other workers to store what they measured before a cancellation. */
const canceledMs = 2000;
/** Time for the other workers to stop. */
const closeMs = 3000;
const pollMs = 100;

/** The workers that share a run, led by the one that holds it. */
export interface Team {
  /**
   * Sends the requests of a plan from all workers that are free, and joins their records. If one of them stops, the measurement is
   * not valid, and the run is tried again.
   *
   * @throws RunFailure `worker_lost`, and as `measureLoad`
   */
  measure(plan: LoadPlan, options: MeasureOptions): Promise<LoadRecord>;
  /** Stops the other workers and waits until they have stopped. */
  close(): Promise<void>;
}

/** The maximum difference of two clocks, each with a maximum error. */
function differenceOf(errors: readonly number[]): number {
  const [first = 0, second = 0] = errors.toSorted((a, b) => b - a);
  return first + second;
}

/** The jobs of shares 1 to `count - 1`; null if they are too large. */
async function packJobs(plan: LoadPlan, count: number): Promise<Packed[] | null> {
  if (bytesOfPlan(plan) / count > shareBytesMax) return null;
  const jobs: Packed[] = [];
  try {
    for (let share = 1; share < count; share += 1) jobs.push(await packJob(sharePlan(plan, share, count)));
  } catch (error) {
    if (error instanceof ShareFormatError) return null;
    throw error;
  }
  return jobs;
}

/** Why `count` workers measure a plan that asks for `wanted`, and whose load allows `most`. */
function shortageOf(count: number, most: number, wanted: number): string | null {
  if (count < most) return 'because no other was free';
  return count < wanted ? 'because the load is not higher' : null;
}

class RunTeam implements Team {
  readonly #deps: RunDeps;
  readonly #run: ClaimedRun;
  /** Until when it waits for workers to join: once for each attempt, because the others may all be busy for hours. */
  readonly #joinUntil: number;

  constructor(deps: RunDeps, run: ClaimedRun) {
    this.#deps = deps;
    this.#run = run;
    this.#joinUntil = performance.now() + deps.shareWaitS * 1000;
  }

  get #db() {
    return this.#deps.database.db;
  }

  async measure(plan: LoadPlan, options: MeasureOptions): Promise<LoadRecord> {
    const wanted = this.#run.workers;
    const most = Math.min(wanted, sharesMax(plan));
    const alone = async (shortage: string) => {
      const record = await measureLoad(plan, options);
      return { ...record, workers: { wanted, count: 1, clock_error_ms: null, shortage } };
    };
    if (most === 1) return alone('because the load is one request at a time');
    const joined = await this.#waitForWorkers(most - 1, options.signal);
    if (joined.length === 0) return alone('because no other was free');
    const count = joined.length + 1;
    const jobs = await packJobs(plan, count);
    if (jobs === null) return alone('because the requests are too large to share');
    for (const [at, seen] of joined.entries()) {
      const job = jobs[at];
      if (job === undefined || !(await assignShare(this.#db, this.#run, seen, job))) throw lostWorker(null);
    }
    const shared = await this.#measureWith(joined, plan, options);
    return {
      ...shared.record,
      workers: { wanted, count, clock_error_ms: shared.clockErrorMs, shortage: shortageOf(count, most, wanted) },
    };
  }

  /** At most `most` shares whose workers wait for requests. */
  async #waitForWorkers(most: number, signal: AbortSignal | undefined): Promise<SeenShare[]> {
    for (;;) {
      signal?.throwIfAborted();
      const shares = await listShares(this.#db, this.#run);
      const joined = shares.filter(({ state, isHeld }) => state === 'joined' && isHeld);
      if (joined.length >= most || performance.now() >= this.#joinUntil) return joined.slice(0, most);
      await sleep(pollMs, undefined, { ...(signal !== undefined && { signal }) }).catch(() => undefined);
    }
  }

  /** Measures all shares of a plan, which the others have. */
  async #measureWith(
    joined: readonly SeenShare[],
    plan: LoadPlan,
    options: MeasureOptions,
  ): Promise<{ record: LoadRecord; clockErrorMs: number }> {
    const watch = watchShares(this.#deps, this.#run, joined);
    try {
      const own = await this.#measureOwn(watch, joined, plan, options);
      await this.#waitForOthers(watch, options.signal);
      await watch.stop();
      const errors = watch.shares().map((share) => share.clockErrorMs ?? 0);
      const others = await this.#takeRecords(joined, plan, options.signal);
      const rows = shareRows(plan, 0, joined.length + 1);
      return {
        record: mergeRecords([{ record: own.record, rows }, ...others]),
        clockErrorMs: differenceOf([own.clockErrorMs, ...errors]),
      };
    } finally {
      await watch.stop();
    }
  }

  /** Measures the share of this worker. The clock starts when all others are ready. */
  async #measureOwn(
    watch: ShareWatch,
    joined: readonly SeenShare[],
    plan: LoadPlan,
    { signal, onProgress, onEnded }: MeasureOptions,
  ): Promise<{ record: LoadRecord; clockErrorMs: number }> {
    const count = joined.length + 1;
    const rows = shareRows(plan, 0, count);
    const clock: { before: DatabaseClock | null } = { before: null };
    const stops = signal === undefined ? watch.lost : AbortSignal.any([signal, watch.lost]);
    const record = await measureLoad(sharePlan(plan, 0, count), {
      signal: stops,
      ...(onProgress !== undefined && { onProgress: (counts) => onProgress(watch.countsWith(counts)) }),
      ...(onEnded !== undefined && { onEnded: (requests) => onEnded(inPlan(requests, rows)) }),
      startAt: async () => {
        await watch.until(({ state }) => state === 'ready', { signal: stops, timeout_ms: readyMs });
        const before = await readDatabaseClock(this.#db);
        clock.before = before;
        const shares = joined.map(({ share }) => share);
        const at = await startShares(this.#db, this.#run, shares, leadMs);
        if (at === null) throw lostWorker(null);
        return at - before.offsetMs;
      },
    });
    if (!signal?.aborted) watch.lost.throwIfAborted();
    // Null if the measurement was stopped before it started.
    const error = clock.before === null ? 0 : clockErrorMs(clock.before, await readDatabaseClock(this.#db));
    return { record, clockErrorMs: error };
  }

  /** After a cancellation, only briefly: what is then missing is not part of the result. */
  async #waitForOthers(watch: ShareWatch, signal: AbortSignal | undefined): Promise<void> {
    const isDone = ({ state }: SeenShare) => state === 'done';
    if (!signal?.aborted)
      await watch.until(isDone, { ...(signal !== undefined && { signal }) }).catch((error: unknown) => {
        if (!signal?.aborted) throw error;
      });
    const isCanceled = signal?.reason instanceof RunStopped && signal.reason.reason === 'canceled';
    if (isCanceled) await watch.until(isDone, { timeout_ms: canceledMs }).catch(() => undefined);
  }

  async #takeRecords(
    joined: readonly SeenShare[],
    plan: LoadPlan,
    signal: AbortSignal | undefined,
  ): Promise<RecordedShare[]> {
    const parts: RecordedShare[] = [];
    for (const [at, seen] of joined.entries()) {
      const result = await takeShareResult(this.#db, this.#run, seen);
      if (result === null && !signal?.aborted) throw lostWorker(null);
      const rows = shareRows(plan, at + 1, joined.length + 1);
      if (result !== null) parts.push({ record: await unpackRecord(result), rows });
    }
    return parts;
  }

  async close(): Promise<void> {
    try {
      await closeShares(this.#db, this.#run);
      const until = performance.now() + closeMs;
      while (performance.now() < until) {
        if ((await listShares(this.#db, this.#run)).every(({ isHeld }) => !isHeld)) break;
        await sleep(pollMs);
      }
      await removeShares(this.#db, this.#run);
    } catch (error) {
      // The other workers also stop if the run has no worker, and the next attempt removes the shares.
      this.#deps.log('error', `run ${this.#run.runId}: its shares could not be closed`, { error: String(error) });
    }
  }
}

/**
 * Opens the shares of a run whose plan asks for several workers; null for one worker. The limits of an unproven server are counted
 * for one worker, so such a run has no shares.
 *
 * @throws LeaseLostError
 */
export async function openTeam(deps: RunDeps, run: ClaimedRun, endpoint: EndpointRow): Promise<Team | null> {
  if (run.workers === 1 || run.search !== null || endpoint.verifiedBy === null) return null;
  await openShares(deps.database.db, run, run.workers - 1);
  return new RunTeam(deps, run);
}
