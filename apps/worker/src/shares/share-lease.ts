import { setTimeout as sleep } from 'node:timers/promises';
import { beatShare, type HeldShare, releaseShare, type ShareBeat } from '@inferboard/db/runs/shares/help';
import type { ShareCounts } from '@inferboard/db/schema/index';
import type { WorkerDeps } from '../deps.ts';

/** Why a worker stops measuring a share. `canceled`: what was measured is stored. */
export type ShareStop = 'canceled' | 'closed' | 'lost' | 'stopping';

export class ShareStopped extends Error {
  override readonly name = 'ShareStopped';
  readonly reason: ShareStop;
  constructor(reason: ShareStop) {
    super(`the share is stopped: ${reason}`);
    this.reason = reason;
  }
}

const beatMs = 250;
/** Without a heartbeat for this long, stops sending: another worker may claim the run one second later. */
const silenceMs = 3000;

/** Holds a share by periodic heartbeats. Aborts if the run is canceled or ends, and when the process stops. */
export class ShareLease {
  readonly #deps: WorkerDeps;
  readonly #held: HeldShare;
  readonly #stopping: AbortSignal;
  readonly #controller = new AbortController();
  readonly #beating: Promise<void>;
  readonly #watchdog: NodeJS.Timeout;
  #beat: ShareBeat | null = null;
  #counts: ShareCounts | null = null;
  #lastBeat = performance.now();
  #isReleased = false;

  constructor(deps: WorkerDeps, held: HeldShare, stopping: AbortSignal) {
    this.#deps = deps;
    this.#held = held;
    this.#stopping = stopping;
    if (stopping.aborted) this.#stop('stopping');
    stopping.addEventListener('abort', this.#onStopping, { once: true });
    // Independent of the heartbeats, so that a blocked statement cannot keep requests running.
    this.#watchdog = setInterval(() => {
      if (performance.now() - this.#lastBeat > silenceMs) this.#stop('lost');
    }, beatMs);
    this.#beating = this.#repeat();
  }

  /** Aborted with a `ShareStopped`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sets the counts of the share, stored with the next heartbeat. */
  setCounts(counts: ShareCounts): void {
    this.#counts = counts;
  }

  /** The number of the next job after `last`. @throws ShareStopped */
  async nextRound(last: number): Promise<number> {
    const beat = await this.#until(({ state, round }) => state === 'assigned' && round > last);
    return beat.round;
  }

  /** The common start of a job, in ms since 1970 by the clock of the database. @throws ShareStopped */
  async startOf(round: number): Promise<number> {
    const beat = await this.#until((seen) => seen.round === round && seen.startAtMs !== null);
    return beat.startAtMs ?? Number.NaN;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    clearInterval(this.#watchdog);
    this.#stopping.removeEventListener('abort', this.#onStopping);
    await this.#beating;
    await releaseShare(this.#deps.database.db, this.#held).catch((error: unknown) => {
      // The lease expires anyway.
      this.#deps.log('error', 'a share could not be released', { error: String(error) });
    });
  }

  readonly #onStopping = () => this.#stop('stopping');

  #stop(reason: ShareStop): void {
    if (!this.signal.aborted) this.#controller.abort(new ShareStopped(reason));
  }

  async #repeat(): Promise<void> {
    while (!this.#isReleased) {
      await this.#beatOnce();
      await sleep(beatMs);
    }
  }

  async #beatOnce(): Promise<void> {
    const at = performance.now();
    const counts = this.#counts;
    try {
      const beat = await beatShare(this.#deps.database.db, this.#held, counts);
      if (beat === null) return this.#stop('lost');
      this.#lastBeat = at;
      this.#beat = beat;
      if (beat.isCanceled) this.#stop('canceled');
      else if (beat.state === 'closed') this.#stop('closed');
      else if (!beat.isLed) this.#stop('lost');
    } catch (error) {
      this.#deps.log('error', `run ${this.#held.runId}: heartbeat of a share failed`, { error: String(error) });
    }
  }

  async #until(condition: (beat: ShareBeat) => boolean): Promise<ShareBeat> {
    for (;;) {
      this.signal.throwIfAborted();
      if (this.#beat !== null && condition(this.#beat)) return this.#beat;
      await sleep(beatMs / 5);
    }
  }
}
