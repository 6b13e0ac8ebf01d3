import type { Outcome } from '../../packages/loadgen/src/measure/records/load-record.ts';
import { arrivals, closed, type Load } from './loads.ts';

/** Known delays of the server. */
const profiles = {
  steady: { ttft_ms: 200, itl_ms: 10 },
  fast: { ttft_ms: 30, itl_ms: 4 },
  'slow prefill': { ttft_ms: 800, itl_ms: 20 },
  jittered: { ttft_ms: 150, ttft_jitter: 0.3, itl_ms: 8, jitter: 0.5 },
  'four tokens a chunk': { ttft_ms: 100, itl_ms: 25, tpc: 4 },
} as const;

const levels = [1, 8, 32, 128, 256];

/** Two waves at each concurrency, with each profile. */
export const delays: readonly Load[] = Object.entries(profiles).flatMap(([name, server]) =>
  levels.map((count) => ({ ...closed(`${name}, ${count} in flight`, count, 2 * count, server), tokens: 128 })),
);

export const rates: readonly Load[] = [10, 50, 100, 500].map((rate) => arrivals(rate));

const every = 8;
const requests = 64;

/** A load where every eighth response is faulty, with the expected counts. */
export interface FaultLoad {
  load: Load;
  outcome: Outcome;
  count: number;
}

const faulty = (
  name: string,
  outcome: Outcome,
  server: Record<string, number>,
  count = requests / every,
): FaultLoad => ({
  load: { ...closed(name, 8, requests, { ttft_ms: 50, itl_ms: 5, ...server }), tokens: 64, stall_ms: 600 },
  outcome,
  count,
});

export const faults: readonly FaultLoad[] = [
  faulty('status 500', 'http_5xx', { f500: every }),
  faulty('status 429', 'http_4xx', { f429: every }),
  faulty('cut', 'disconnected', { fdisc: every }),
  faulty('cut by reset', 'disconnected', { fdisc: every, fdisc_rst: 1 }),
  faulty('stall beyond the limit', 'stalled', { fstall: every, fstall_ms: 3000 }),
  faulty('malformed chunk', 'bad_event', { fbad: every }),
  faulty('error in the stream', 'error_event', { ferr: every }),
  faulty('no token', 'empty', { fempty: every }),
  faulty('characters cut between chunks', 'ok', { utf8: 1, split: 37 }, requests),
  faulty('no [DONE]', 'ok', { fnodone: every }, requests),
];
