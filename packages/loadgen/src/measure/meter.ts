import { readFileSync } from 'node:fs';
import { type EventLoopUtilization, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';

/** What one thread measured of itself. Times in ms unless named otherwise. */
export interface MeterReading {
  loopUtilisation: number;
  cpuS: number;
  schedulerWaitMs: number | null;
  batchMsMax: number;
  batchEventsMax: number;
  /** Tokens by the length of the batch they came in: see `batchBucketMs`. */
  batchTokens: Uint32Array;
  gcMs: number;
}

const bucketsPerOctave = 4;
const bucketCount = 64;
/** The upper end of the first bucket. */
const firstBucketMs = 0.005;

function bucketOf(ms: number): number {
  if (ms <= firstBucketMs) return 0;
  return Math.min(bucketCount - 1, Math.ceil(Math.log2(ms / firstBucketMs) * bucketsPerOctave));
}

/** The longest batch that a bucket holds, in ms. Buckets grow by a fifth. */
export const batchBucketMs = (bucket: number): number => firstBucketMs * 2 ** (bucket / bucketsPerOctave);

/** Time this thread was ready and had no core, in ms since it began; null where the system does not tell. */
function schedulerWait(): number | null {
  try {
    const [, waited] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return waited === undefined ? null : Number(waited) / 1e6;
  } catch {
    return null;
  }
}

interface Start {
  at: number;
  loop: EventLoopUtilization;
  cpu: NodeJS.CpuUsage;
  waited: number | null;
}

/** Measures the thread it is made in. */
export class Meter {
  #batchAt = -1;
  #batchEvents = 0;
  #batchMsMax = 0;
  #batchEventsMax = 0;
  readonly #batchTokens = new Uint32Array(bucketCount);
  #spinMs = 0;
  #reads = 0;
  #readsAtSpin = -1;
  #spinAt = 0;
  #gcMs = 0;
  #start: Start | null = null;
  readonly #observer: PerformanceObserver;

  constructor() {
    const add = (entries: PerformanceEntry[]) => {
      for (const { duration } of entries) this.#gcMs += duration;
    };
    this.#observer = new PerformanceObserver((list) => add(list.getEntries()));
  }

  start(): void {
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#start = {
      at: performance.now(),
      loop: performance.eventLoopUtilization(),
      cpu: process.threadCpuUsage(),
      waited: schedulerWait(),
    };
  }

  /** True for the first read of a batch. */
  beginBatch(at: number): boolean {
    this.#reads++;
    if (this.#batchAt >= 0) return false;
    this.#batchAt = at;
    this.#batchEvents = 0;
    return true;
  }

  onToken(): void {
    this.#batchEvents++;
  }

  endBatch(at: number): void {
    if (this.#batchAt < 0) return;
    const ms = at - this.#batchAt;
    this.#batchAt = -1;
    if (this.#batchEvents === 0) return;
    const bucket = bucketOf(ms);
    this.#batchTokens[bucket] = (this.#batchTokens[bucket] ?? 0) + this.#batchEvents;
    if (ms > this.#batchMsMax) this.#batchMsMax = ms;
    if (this.#batchEvents > this.#batchEventsMax) this.#batchEventsMax = this.#batchEvents;
  }

  /** Called on every turn of the loop while a due time is near: turns without a read are waiting, not work. */
  spin(at: number): void {
    if (this.#readsAtSpin === this.#reads) this.#spinMs += at - this.#spinAt;
    this.#readsAtSpin = this.#reads;
    this.#spinAt = at;
  }

  endSpin(): void {
    this.#readsAtSpin = -1;
  }

  stop(): MeterReading {
    const start = this.#start;
    if (start === null) throw new Error('the meter was not started');
    const elapsed = Math.max(1e-3, performance.now() - start.at);
    const loop = performance.eventLoopUtilization(start.loop);
    const cpu = process.threadCpuUsage(start.cpu);
    const waited = schedulerWait();
    for (const { duration } of this.#observer.takeRecords()) this.#gcMs += duration;
    this.#observer.disconnect();
    return {
      loopUtilisation: Math.min(1, Math.max(0, loop.active - this.#spinMs) / elapsed),
      cpuS: (cpu.user + cpu.system) / 1e6,
      schedulerWaitMs: waited === null || start.waited === null ? null : waited - start.waited,
      batchMsMax: this.#batchMsMax,
      batchEventsMax: this.#batchEventsMax,
      batchTokens: this.#batchTokens,
      gcMs: this.#gcMs,
    };
  }
}
