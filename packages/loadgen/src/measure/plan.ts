import { checkTurns, rowsOf, type Turns } from '../turns/turns.ts';
import type { Connect } from '../wire/transport.ts';

/** A new request whenever one ends, so that `concurrency` are under way. */
export interface ClosedPace {
  mode: 'closed';
  concurrency: number;
  /** Between the starts of the first wave, in ms; 0 starts it at once. */
  stagger_ms?: number;
}

/** Requests at times drawn before, whether or not earlier ones have ended. */
export interface OpenPace {
  mode: 'open';
  /** Ascending, in ms from the beginning. */
  due_ms: Float64Array;
  /** Requests wait while as many are under way; the wait counts from `due_ms`. Null: no cap. */
  maxInFlight: number | null;
  /** `plain` costs less CPU and is up to 2 ms late. */
  timer?: 'hybrid' | 'plain';
  /** Connections to open before the beginning; a guess from the schedule where it is left out. */
  connections?: number;
}

export interface Limits {
  /** No request begins later; those in flight continue. */
  duration_ms: number | null;
  /** No request begins once as many output tokens came; at twice as many all are given up. */
  outputTokens: number | null;
  /** From start to end of a request. */
  request_timeout_ms: number;
  /** Between two chunks of an answer. */
  stall_ms: number;
  /** So many failures, one after the other as requests end, give up all that is under way; no limit without it. */
  failuresInRow?: number;
}

export interface LoadPlan {
  connect: Connect;
  /** For example `/v1/chat/completions`. */
  path: string;
  headers: Record<string, string>;
  /** JSON text, one per request, in order. An open pace may use fewer, a closed one under a limit too. */
  bodies: readonly string[];
  pace: ClosedPace | OpenPace;
  /**
   * Bodies that are turns of conversations: the pace is then that of conversations, and the body of a later turn holds
   * only what it adds.
   */
  turns?: Turns;
  /** Each answer is one JSON document, not a stream. */
  hasDocuments?: boolean;
  limits: Limits;
  /** Threads that share the connections; 1 is enough below some 80 000 events/s. */
  threads?: number;
  /**
   * Whether the generator compiles its code before it measures, which takes 1 to 2 s. Without it, the first times are up to 10 ms
   * too long: for tests that need no exact times. True by default.
   */
  warmsUp?: boolean;
  /** Whether these requests are not measured, and show whether the server closes connections. False by default. */
  isWarmup?: boolean;
  /** Whether the threads that measure have real-time priority. See `whyNotRealtime`. False by default. */
  isRealtime?: boolean;
}

const threadsMax = 64;
const requestsMax = 5_000_000;
/** Timers of Node hold no more. */
const msMax = 2 ** 31 - 1;

function require(condition: boolean, message: string): void {
  if (!condition) throw new RangeError(message);
}

const isCount = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max;
const isTime = (value: number) => value > 0 && value <= msMax;

function isAscending(times: Float64Array): boolean {
  let last = 0;
  for (const time of times) {
    if (!(time >= last)) return false;
    last = time;
  }
  return last <= msMax;
}

/** Throws RangeError on what cannot be run. */
export function checkPlan({ bodies, pace, limits, threads, turns }: LoadPlan): void {
  if (turns !== undefined) checkTurns(turns, bodies.length);
  require(isCount(bodies.length, requestsMax), 'a plan has between one and five million requests');
  require(isTime(limits.request_timeout_ms), 'the timeout of a request must be a positive number of ms');
  require(isTime(limits.stall_ms), 'the stall limit must be a positive number of ms');
  require(limits.duration_ms === null || isTime(limits.duration_ms), 'the duration must be a positive number of ms');
  require(limits.outputTokens === null || limits.outputTokens > 0, 'the limit of output tokens must be positive');
  require(limits.failuresInRow === undefined ||
    isCount(limits.failuresInRow, requestsMax), 'the limit of failures in a row must be a whole number of at least 1');
  require(threads === undefined || isCount(threads, threadsMax), `there are between 1 and ${threadsMax} threads`);
  if (pace.mode === 'closed') {
    require(isCount(pace.concurrency, 65_535), 'the concurrency must be a whole number of at least 1');
    require((pace.stagger_ms ?? 0) >= 0, 'the stagger must be a number of ms');
    return;
  }
  require(pace.due_ms.length >= 1, 'a schedule has at least one request');
  require(pace.due_ms.length <=
    (turns === undefined ? bodies : turns.first).length, 'there are more due times than bodies');
  require(isAscending(pace.due_ms), 'due times must ascend from 0 on');
  require(pace.maxInFlight === null ||
    isCount(pace.maxInFlight, 65_535), 'the cap must be a whole number of at least 1');
}

/** Requests that a plan holds. */
export function countRequests({ bodies, pace, turns }: LoadPlan): number {
  if (pace.mode === 'closed') return bodies.length;
  return turns === undefined ? pace.due_ms.length : rowsOf(turns, pace.due_ms.length);
}

/** What the pace starts: requests, or conversations. */
export function countStarts(plan: LoadPlan): number {
  if (plan.turns === undefined) return countRequests(plan);
  return plan.pace.mode === 'open' ? plan.pace.due_ms.length : plan.turns.first.length - 1;
}

/** Threads that would have something to do. */
export function countThreads(plan: LoadPlan): number {
  const { pace } = plan;
  const most = pace.mode === 'closed' ? pace.concurrency : (pace.maxInFlight ?? Number.POSITIVE_INFINITY);
  return Math.min(plan.threads ?? 1, most, countStarts(plan));
}

/** Part `part` of `count` things dealt out to `parts`. */
export function shareOf(count: number, part: number, parts: number): number {
  return Math.floor(count / parts) + (part < count % parts ? 1 : 0);
}

const connectionsMax = 1024;

/** As many as arrive within the busiest second: a guess at how many will be under way. */
function busiestSecond(due: Float64Array): number {
  let most = 0;
  let first = 0;
  for (let last = 0; last < due.length; last++) {
    while ((due[last] ?? 0) - (due[first] ?? 0) > 1000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Connections to open before the beginning, over all threads. */
export function countConnections(plan: LoadPlan): number {
  const { pace } = plan;
  const requests = countStarts(plan);
  if (pace.mode === 'closed') return Math.min(pace.concurrency, requests);
  const wanted = pace.connections ?? busiestSecond(pace.due_ms);
  return Math.max(1, Math.min(wanted, requests, pace.maxInFlight ?? connectionsMax));
}
