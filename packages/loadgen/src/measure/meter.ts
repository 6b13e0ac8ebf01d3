import { type EventLoopUtilization, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { type CoreWait, openCoreWait } from './core-wait.ts';

/** What one thread measured of itself. Times in ms unless named otherwise. */
export interface MeterReading {
  loopUtilisation: number;
  cpuS: number;
  schedulerWaitMs: number | null;
  batchMsMax: number;
  batchEventsMax: number;
  /** Tokens by the length of the batch they came in: see `batchBucketMs`. */
  batchTokens: Uint32Array;
  /** Tokens by how late this thread may have been for them, and reads with several of one answer: see `batchBucketMs`. */
  tokens: Uint32Array;
  coalescedReads: Uint32Array;
  gcMs: number;
}

const bucketsPerOctave = 4;
const bucketCount = 64;
/** How often a thread asks for how long it had no core. */
const windowMs = 5;
/** The upper end of the first bucket. */
const firstBucketMs = 0.005;

function bucketOf(ms: number): number {
  if (ms <= firstBucketMs) return 0;
  return Math.min(bucketCount - 1, Math.ceil(Math.log2(ms / firstBucketMs) * bucketsPerOctave));
}

/** The longest batch that a bucket holds, in ms. Buckets grow by a fifth. */
export const batchBucketMs = (bucket: number): number => firstBucketMs * 2 ** (bucket / bucketsPerOctave);

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
  readonly #tokensByLateness = new Uint32Array(bucketCount);
  /** Before the present batch. */
  #tokens = 0;
  readonly #coalescedReads = new Uint32Array(bucketCount);
  /** Tokens before this window. Within it: reads with several chunks, and the longest time without a look at the sockets. */
  #windowTokens = 0;
  #windowCoalesced = 0;
  #windowLateMs = 0;
  #timerDue = Number.POSITIVE_INFINITY;
  #windowAt = 0;
  #windowWaited: number | null = null;
  #coreWait: CoreWait | null = null;
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
      waited: this.#openCoreWait(),
    };
  }

  #openCoreWait(): number | null {
    this.#coreWait = openCoreWait();
    this.#windowWaited = this.#coreWait.read();
    return this.#windowWaited;
  }

  /** True for the first read of a batch. */
  beginBatch(at: number): boolean {
    this.#reads++;
    if (this.#batchAt >= 0) return false;
    // Reads come before the timer that was due while the event loop was blocked.
    this.#noteLate(at - this.#timerDue);
    this.#batchAt = at;
    this.#tokens += this.#batchEvents;
    this.#batchEvents = 0;
    return true;
  }

  onToken(): void {
    this.#batchEvents++;
  }

  /** A read brought a second chunk of its answer: either the server sent them together, or we read late. */
  onCoalesced(): void {
    this.#windowCoalesced++;
  }

  /** A timer went off that goes off again at `nextAt`: until then the thread is late where it was busy, or the process stopped. */
  onTimer(at: number, nextAt: number): void {
    this.#noteLate(at - this.#timerDue);
    this.#timerDue = nextAt;
  }

  #noteLate(lateMs: number): void {
    if (lateMs > this.#windowLateMs) this.#windowLateMs = lateMs;
  }

  /**
   * Ends the work after a batch of reads. From its beginning until now, the thread did not poll the sockets, nor did it
   * while it had no core. The longer of these, within some ms, bounds the delay of a read of that time.
   */
  endTick(began: number, ended: number): void {
    this.#noteLate(ended - began);
    if (ended - this.#windowAt > windowMs) this.#endWindow(ended);
  }

  #endWindow(at: number): void {
    const waited = this.#coreWait?.read() ?? null;
    if (waited !== null && this.#windowWaited !== null) this.#noteLate(waited - this.#windowWaited);
    const bucket = bucketOf(this.#windowLateMs);
    const tokens = this.#tokens + this.#batchEvents;
    this.#tokensByLateness[bucket] = (this.#tokensByLateness[bucket] ?? 0) + tokens - this.#windowTokens;
    this.#coalescedReads[bucket] = (this.#coalescedReads[bucket] ?? 0) + this.#windowCoalesced;
    this.#windowAt = at;
    this.#windowWaited = waited;
    this.#windowTokens = tokens;
    this.#windowCoalesced = 0;
    this.#windowLateMs = 0;
  }

  endBatch(at: number): void {
    if (this.#batchAt < 0) return;
    const ms = at - this.#batchAt;
    this.#batchAt = -1;
    this.#noteLate(ms);
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
    this.#endWindow(performance.now());
    const waited = this.#coreWait?.read() ?? null;
    this.#coreWait?.close();
    for (const { duration } of this.#observer.takeRecords()) this.#gcMs += duration;
    this.#observer.disconnect();
    return {
      loopUtilisation: Math.min(1, Math.max(0, loop.active - this.#spinMs) / elapsed),
      cpuS: (cpu.user + cpu.system) / 1e6,
      schedulerWaitMs: waited === null || start.waited === null ? null : waited - start.waited,
      batchMsMax: this.#batchMsMax,
      batchEventsMax: this.#batchEventsMax,
      batchTokens: this.#batchTokens,
      tokens: this.#tokensByLateness,
      coalescedReads: this.#coalescedReads,
      gcMs: this.#gcMs,
    };
  }
}
