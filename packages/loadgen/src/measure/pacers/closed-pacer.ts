import type { Paced, Pacer } from './pacer.ts';

export interface ClosedShare {
  /** Requests that this thread keeps under way. */
  slots: number;
  /** Between the starts of the first wave, and the first of this thread's, in ms. */
  staggerMs: number;
  firstAtMs: number;
  /** The next row of the run, or one past the last. */
  takeNext(): number;
  rows: number;
}

/** After a connection that came to nothing: a server that is gone must not eat all requests in a moment. */
const backOffMs = 50;

/** Keeps `slots` requests under way. */
export function createClosedPacer(paced: Paced, share: ClosedShare): Pacer {
  let open = share.slots;
  const timers = new Set<NodeJS.Timeout>();

  function next(readyAt: number): void {
    const row = paced.mayStart() ? share.takeNext() : share.rows;
    if (row < share.rows) {
      paced.start(row, readyAt, Number.NaN);
      return;
    }
    open--;
    paced.onMaybeFinished();
  }

  function nextAfter(ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      next(paced.now());
    }, ms);
    timers.add(timer);
  }

  return {
    begin: () => {
      for (let slot = 0; slot < share.slots; slot++) {
        const at = share.firstAtMs + slot * share.staggerMs;
        if (at > 0) nextAfter(at);
        else paced.later(() => next(0));
      }
    },
    onEnd: (verdict, hadAnswer, at) => {
      if (verdict.outcome === 'disconnected' && !hadAnswer) nextAfter(backOffMs);
      else next(at);
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      open -= timers.size;
      timers.clear();
    },
    isExhausted: () => open === 0,
  };
}
