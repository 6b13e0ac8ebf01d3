import type { Verdict } from '../records/outcome.ts';

/** What a pacer asks of the engine it paces. Times in ms since the beginning. */
export interface Paced {
  now(): number;
  /** False once a limit or a cancellation keeps further requests from beginning. */
  mayStart(): boolean;
  start(row: number, readyAt: number, dueAt: number): void;
  drop(row: number, dueAt: number): void;
  inFlight(): number;
  /** Does it after the sockets have been served, a few such things at a time. */
  later(turn: () => void): void;
  /** The loop turns without waiting, and that is no work. */
  onSpin(at: number): void;
  endSpin(): void;
  /** Something that may have been the last thing to do is done. */
  onMaybeFinished(): void;
}

/** Decides when requests begin. */
export interface Pacer {
  begin(): void;
  /** A request ended at `at`. */
  onEnd(verdict: Verdict, hadAnswer: boolean, at: number): void;
  /** No request may begin any more. */
  stop(): void;
  /** True once it will begin nothing more. */
  isExhausted(): boolean;
}
