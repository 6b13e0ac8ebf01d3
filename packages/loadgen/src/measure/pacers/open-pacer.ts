import type { Paced, Pacer } from './pacer.ts';

export interface OpenShare {
  /** Due times of the whole run in ms, ascending; this thread sends `first`, `first + step`, and so on below `rows`. */
  due: Float64Array;
  first: number;
  step: number;
  rows: number;
  cap: number | null;
  isHybrid: boolean;
}

/** A timer may be this late; from here on the loop turns without waiting. */
const spinMs = 1.2;
/** It then turns no oftener than this: every turn leaves some garbage, and collecting it makes a request late by a ms. */
const turnMs = 0.02;
/**
 * From this long before a due time on a turn does not sleep, nor in the last quarter of a gap between two. A thread of
 * real-time priority that never sleeps is stopped by Linux for 50 ms of each second, and others would like the core.
 */
const awakeMs = 0.6;
/** What sleeps reads nothing: no longer than this at once. */
const napMs = 0.05;
const bed = new Int32Array(new SharedArrayBuffer(4));

/** Sends each request when it is due, and all that are overdue at once; late ones are never spread out. */
export function createOpenPacer(paced: Paced, share: OpenShare): Pacer {
  const { due, cap } = share;
  let next = share.first;
  let isStopped = false;
  let isScheduled = false;
  /** Due rows that the cap holds back, in order. */
  let waiting: number[] = [];
  let firstWaiting = 0;
  const dueOf = (row: number) => due[row] ?? 0;

  function launch(freeAt: number): void {
    while (firstWaiting < waiting.length && (cap === null || paced.inFlight() < cap)) {
      if (!paced.mayStart()) {
        dropWaiting();
        return;
      }
      const row = waiting[firstWaiting++] ?? 0;
      paced.start(row, Math.max(dueOf(row), freeAt), dueOf(row));
    }
    if (firstWaiting === waiting.length) {
      waiting = [];
      firstWaiting = 0;
    }
  }

  function dropWaiting(): void {
    for (const row of waiting.slice(firstWaiting)) paced.drop(row, dueOf(row));
    waiting = [];
    firstWaiting = 0;
  }

  function tick(): void {
    isScheduled = false;
    let now = paced.now();
    const gap = dueOf(next) - dueOf(next - share.step);
    if (share.isHybrid && dueOf(next) - now > Math.min(awakeMs, gap / 4)) {
      Atomics.wait(bed, 0, 0, napMs);
      now = paced.now();
    } else if (share.isHybrid) for (const until = Math.min(now + turnMs, dueOf(next)); now < until; ) now = paced.now();
    let isDue = false;
    while (next < share.rows && dueOf(next) <= now && !isStopped) {
      waiting.push(next);
      next += share.step;
      isDue = true;
    }
    if (isDue) {
      launch(0);
      paced.endSpin();
    } else if (share.isHybrid) paced.onSpin(now);
    schedule();
  }

  function schedule(): void {
    if (isScheduled || isStopped) return;
    if (next >= share.rows) {
      paced.onMaybeFinished();
      return;
    }
    isScheduled = true;
    const wait = dueOf(next) - paced.now();
    if (!share.isHybrid) setTimeout(tick, Math.max(0, wait));
    else if (wait > spinMs + 1) {
      paced.endSpin();
      setTimeout(tick, Math.floor(wait - spinMs));
    } else setImmediate(tick);
  }

  return {
    begin: tick,
    onEnd: (_verdict, _hadAnswer, at) => launch(at),
    stop: () => {
      isStopped = true;
      dropWaiting();
    },
    isExhausted: () => (isStopped || next >= share.rows) && waiting.length === firstWaiting,
  };
}
