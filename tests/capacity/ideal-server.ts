import { percentileOf } from '../../packages/loadgen/src/measure/records/percentiles.ts';
import { rateSchedule } from '../../packages/loadgen/src/pacing/arrivals.ts';

/** A server that serves so many requests at once, each for the same time, in the order of their arrival. */
export interface IdealServer {
  slots: number;
  /** From the start of a request to its first token, and to its end. */
  ttftMs: number;
  serviceMs: number;
}

/** The 99th percentile of TTFT under Poisson arrivals, without any overhead. */
function ttftP99({ slots, ttftMs, serviceMs }: IdealServer, rate: number, requests: number, seed: number): number {
  const freeAt = new Float64Array(slots);
  const ttfts = rateSchedule(rate, requests, { burstiness: 1, seed }).map((dueMs) => {
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const startMs = Math.max(dueMs, freeAt[slot] ?? 0);
    freeAt[slot] = startMs + serviceMs;
    return startMs - dueMs + ttftMs;
  });
  return percentileOf(ttfts.sort(), 99);
}

const drawsUsual = 200;

/** The rate at which the typical point of this many requests has its 99th percentile of TTFT at the limit. */
export function capacityOf(server: IdealServer, limitMs: number, requests: number): number {
  const isOver = (rate: number) => {
    const logs = Array.from({ length: drawsUsual }, (_, draw) => Math.log(ttftP99(server, rate, requests, draw + 1)));
    return logs.reduce((sum, log) => sum + log, 0) / logs.length > Math.log(limitMs);
  };
  let [low, high] = [0, (1.2 * 1000 * server.slots) / server.serviceMs];
  for (let round = 0; round < 16; round++) {
    const middle = (low + high) / 2;
    if (isOver(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
