import { type Lease, leaseS } from '@inferboard/db/queries/run-claim';
import { beatRun, LeaseLostError } from '@inferboard/db/queries/run-progress';
import type { WorkerDeps } from '../deps.ts';

/** Why a worker stops before a run is over. `lost`: another may have it by now, so that nothing more may be sent. */
export type StopReason = 'canceled' | 'lost' | 'stopping';

export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`the run is left: ${reason}`);
    this.reason = reason;
  }
}

export interface HeldLease {
  /** Aborted with a `RunStopped`. */
  readonly signal: AbortSignal;
  /** Requests that are over, told with the next beat. */
  tell(requestsDone: number): void;
  /** Beats no more. */
  release(): Promise<void>;
}

const beat_ms = 500;
/** Without a beat for so long we stop sending, before the lease ends and another worker begins. */
const silence_ms = (leaseS - 4) * 1000;

/** Holds a run by regular beats, and says when to stop: on a cancel, on losing it, or when the process stops. */
export function holdLease({ database, log }: WorkerDeps, lease: Lease, stopping: AbortSignal): HeldLease {
  const controller = new AbortController();
  const stop = (reason: StopReason) => controller.abort(new RunStopped(reason));
  let requestsDone: number | null = null;
  let lastBeat = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let released = false;
  let beating: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    const at = performance.now();
    try {
      const isCancelAsked = await beatRun(database.db, lease, requestsDone);
      lastBeat = at;
      if (isCancelAsked && !controller.signal.aborted) stop('canceled');
    } catch (error) {
      if (error instanceof LeaseLostError) stop('lost');
      else log('error', `run ${lease.runId}: a beat failed`, { error: String(error) });
    }
  }

  // Apart from the beats: a statement that hangs must not keep us sending.
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
    tell: (done) => {
      requestsDone = done;
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
