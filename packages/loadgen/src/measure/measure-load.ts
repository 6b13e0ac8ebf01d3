import { Worker } from 'node:worker_threads';
import type { Control, Counts } from './control.ts';
import { createInterimReader, InterimQueue } from './interim.ts';
import { planJobs } from './pacers/plan-jobs.ts';
import type { LoadPlan } from './plan.ts';
import { assembleRecord, type FinishedRun } from './records/assemble-record.ts';
import type { LoadRecord, RequestRecord } from './records/load-record.ts';
import type { FromThread, Interim, ThreadJob, ThreadResult, ToThread } from './thread-messages.ts';

export type { Connect } from '../wire/transport.ts';
export type { Counts } from './control.ts';
export type { LoadPlan } from './plan.ts';
export type { LoadRecord, Outcome, RequestRecord } from './records/load-record.ts';

export interface MeasureOptions {
  /** Gives up all requests under way; what was recorded so far is the result. */
  signal?: AbortSignal;
  /** Some times a second. */
  onProgress?: (counts: Counts) => void;
  /** The requests that ended since the last call, some times a second. The last ones come with the result alone. */
  onEnded?: (requests: RequestRecord[]) => void;
  /**
   * Called once all connections are open. The clock starts at the time that it returns, in ms of the system's monotonic clock;
   * by default at once.
   */
  startAt?: () => Promise<number>;
}

/** No connection to the server could be opened. */
export class UnreachableError extends Error {
  readonly detail: string;

  constructor(detail: string) {
    super(`the server cannot be reached: ${detail}`);
    this.name = 'UnreachableError';
    this.detail = detail;
  }
}

const progressMs = 200;
/** Time for the threads to receive the start message and to sample their clocks. */
const leadMs = 20;
/** Time after a cancellation until a thread that has not ended is terminated. */
const cancelMs = 1500;

/** A thread and its messages. */
class LoadThread {
  readonly ready: Promise<void>;
  readonly result: Promise<ThreadResult>;
  readonly #worker: Worker;

  constructor(job: ThreadJob, onInterim: (interim: Interim) => void) {
    const worker = new Worker(new URL('./load-thread.ts', import.meta.url), { name: 'load', workerData: job });
    this.#worker = worker;
    const ready = Promise.withResolvers<void>();
    const result = Promise.withResolvers<ThreadResult>();
    const fail = (error: Error) => {
      ready.reject(error);
      result.reject(error);
    };
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'ready') ready.resolve();
      else if (message.kind === 'unreachable') fail(new UnreachableError(message.detail));
      else if (message.kind === 'interim') onInterim(message);
      else result.resolve(message);
    });
    worker.once('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
    worker.once('exit', () => fail(new Error('a thread of the load generator ended before its time')));
    this.ready = ready.promise;
    this.result = result.promise;
    // The code that awaits one of the promises gets the error; the other must not cause an unhandled rejection.
    this.ready.catch(() => undefined);
    this.result.catch(() => undefined);
  }

  say(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** For this time a server is assumed to behave as it did: another one may be started at the same address. */
const knownMs = 600_000;
/** Whether servers were found to close each connection after its response, so that later points need not find it out. */
const servers = new Map<string, { at: number; closes: boolean }>();

/** Null if it is not known. */
function closesOf(server: string): boolean | null {
  for (const [known, { at }] of servers) if (monotonicMs() - at >= knownMs) servers.delete(known);
  return servers.get(server)?.closes ?? null;
}

const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Starts the clock of all threads at once, and waits until all are done or `signal` has ended them. */
async function runThreads(
  threads: readonly LoadThread[],
  control: Control,
  { signal, onProgress, startAt }: MeasureOptions,
): Promise<FinishedRun | null> {
  let overdue: NodeJS.Timeout | undefined;
  const cancel = () => {
    for (const thread of threads) thread.say({ kind: 'cancel' });
    overdue = setTimeout(() => threads.forEach((thread) => void thread.end()), cancelMs);
  };
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal?.aborted) resolve('aborted');
    signal?.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  if ((await Promise.race([Promise.all(threads.map(({ ready }) => ready)), aborted])) === 'aborted') return null;
  const startedMonotonicMs = await Promise.race([startAt?.() ?? monotonicMs() + leadMs, aborted]);
  if (startedMonotonicMs === 'aborted') return null;
  const startedUnixMs = Date.now() + startedMonotonicMs - monotonicMs();
  const progress = onProgress && setInterval(() => onProgress(control.counts()), progressMs);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for (const thread of threads) thread.say({ kind: 'go', at: startedMonotonicMs });
    const results = await Promise.all(threads.map(({ result }) => result));
    onProgress?.(control.counts());
    return { results, startedUnixMs, startedMonotonicMs };
  } finally {
    clearInterval(progress);
    clearTimeout(overdue);
    signal?.removeEventListener('abort', cancel);
  }
}

/**
 * Sends a plan's requests and records what came back and when. Connections are opened and request bytes made before the
 * clock starts. The requests of a cancelled run are those that were begun. Throws RangeError or TypeError on a plan that
 * cannot be run, UnreachableError where not one connection can be opened.
 */
export async function measureLoad(plan: LoadPlan, options: MeasureOptions = {}): Promise<LoadRecord> {
  const { onEnded } = options;
  const server = `${plan.connect.host} ${plan.connect.address} ${plan.connect.port}`;
  const known = closesOf(server);
  const { jobs, table, control } = planJobs(plan, onEnded !== undefined, known);
  const interims = new InterimQueue(createInterimReader(table, plan.headers), onEnded ?? (() => undefined));
  const threads = jobs.map((job) => new LoadThread(job, (interim) => interims.add(interim)));
  try {
    const run = await runThreads(threads, control, options);
    const closes = run?.results.some(({ usesConnectionsOnce }) => usesConnectionsOnce) ?? false;
    // Only a load that watched can find that a server keeps its connections.
    if (known !== true && (closes || (plan.isWarmup && run !== null)))
      servers.set(server, { at: monotonicMs(), closes });
    return assembleRecord(table, run, plan.headers);
  } finally {
    interims.close();
    await Promise.all(threads.map((thread) => thread.end()));
  }
}
