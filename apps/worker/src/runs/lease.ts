import type { LiveFigures } from '@inferboard/core/observed/live-figures';
import type { PublishChoice } from '@inferboard/core/plans/run-state';
import { type Lease, leaseS } from '@inferboard/db/runs/run-claim';
import { beatRun, LeaseLostError } from '@inferboard/db/runs/run-progress';
import type { WorkerDeps } from '../deps.ts';

/** Why a worker stops before the end of a run. `lost`: another worker may have claimed it, so no further request may be sent. */
export type StopReason = 'canceled' | 'lost' | 'stopping';

export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;
  /** What a canceled run publishes. */
  readonly publish: PublishChoice;
  constructor(reason: StopReason, publish: PublishChoice = 'measured') {
    super(`the run is stopped: ${reason}`);
    this.reason = reason;
    this.publish = publish;
  }
}

export interface HeldLease {
  /** Aborted with a `RunStopped`. */
  readonly signal: AbortSignal;
  /** Sets the number of finished requests, reported with the next heartbeat. */
  setRequestsDone(requestsDone: number): void;
  /** Sets where the figures of the current point come from, stored every two seconds; null if no point is being measured. */
  show(read: (() => LiveFigures) | null): void;
  /** Stops the heartbeats. */
  release(): Promise<void>;
}

const beat_ms = 500;
/** Milliseconds between two writes of the figures of a point. */
const show_ms = 2000;
/** Without a heartbeat for this long, stops sending before the lease ends and another worker can start. */
const silence_ms = (leaseS - 4) * 1000;

/** Holds a run by periodic heartbeats. Aborts on cancellation, on loss of the lease, and when the process stops. */
export function holdLease({ database, log }: WorkerDeps, lease: Lease, stopping: AbortSignal): HeldLease {
  const controller = new AbortController();
  const stop = (reason: StopReason, publish?: PublishChoice) => controller.abort(new RunStopped(reason, publish));
  let requestsDone: number | null = null;
  let readLive: (() => LiveFigures) | null = null;
  let shownAt = Number.NEGATIVE_INFINITY;
  let lastBeat = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let released = false;
  let beating: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    const at = performance.now();
    const live = at - shownAt >= show_ms ? (readLive?.() ?? null) : null;
    try {
      const cancel = await beatRun(database.db, lease, requestsDone, live);
      lastBeat = at;
      if (live !== null) shownAt = at;
      if (cancel !== null && !controller.signal.aborted) stop('canceled', cancel);
    } catch (error) {
      if (error instanceof LeaseLostError) stop('lost');
      else log('error', `run ${lease.runId}: heartbeat failed`, { error: String(error) });
    }
  }

  // Independent of the heartbeats, so that a blocked statement cannot keep requests running.
  const watchdog = setInterval(() => {
    if (performance.now() - lastBeat > silence_ms) stop('lost');
  }, beat_ms);

  const schedule = () => {
    timer = setTimeout(() => {
      beating = beat().finally(() => {
        if (!released) schedule();
      });
    }, beat_ms);
  };
  schedule();
  const onStopping = () => stop('stopping');
  if (stopping.aborted) onStopping();
  stopping.addEventListener('abort', onStopping, { once: true });

  return {
    signal: controller.signal,
    setRequestsDone: (done) => {
      requestsDone = done;
    },
    show: (read) => {
      readLive = read;
    },
    release: async () => {
      released = true;
      clearTimeout(timer);
      clearInterval(watchdog);
      stopping.removeEventListener('abort', onStopping);
      await beating;
    },
  };
}
