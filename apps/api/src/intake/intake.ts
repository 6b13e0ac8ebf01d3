import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceLimits } from 'node:worker_threads';
import { DomainError } from '@inferboard/core/errors';
import type { ArtifactStoreSettings } from '@inferboard/db/artifacts/artifact-store';
import { quietly, type TelemetrySettings } from '@inferboard/telemetry/settings';
import type { TraceParent } from '@inferboard/telemetry/trace-parent';
import { Piscina } from 'piscina';
import type { Answer } from '../actions/answer-once.ts';
import type { SubmissionJob } from '../actions/answer-submission.ts';
import { type CarriedError, restoreError } from './carried-error.ts';

/** What the thread needs to begin. */
export interface IntakeSettings {
  databaseUrl: string;
  publicUrl: string;
  artifactStore?: ArtifactStoreSettings | null;
  traces?: TelemetrySettings['traces'];
}

export type IntakeTask = { job: SubmissionJob; parent: TraceParent | null };
export type IntakeReply = { answer: Answer } | { error: CarriedError };

/** A thread that reads, checks and stores what would keep everybody else waiting. */
export interface Intake {
  /**
   * Takes the bytes away from the caller. Rejects with what went wrong, as if it had been done here.
   *
   * @throws DomainError `bodies_too_many` if too many wait
   */
  submit(job: SubmissionJob, parent?: TraceParent | null): Promise<Answer>;
  /** Submissions that wait for the thread or are under way there. */
  waiting(): number;
  /** Lets what is under way end, for a moment, and ends the thread. */
  close(): Promise<void>;
}

/** Submissions under way in the thread, each with a connection. The others wait. */
export const tasksAtOnce = 4;
/** Submissions that wait at most; their bytes are bounded by those in flight. */
const queueMax = 256;
/** How long a stop waits for what is under way, whose callers are gone by then. */
const patience_ms = 2000;

/** What the thread may take: much of what reading makes is thrown away at once, and with room for it the collector seldom runs. */
const memoryLimits: ResourceLimits = { maxYoungGenerationSizeMb: 384, maxOldGenerationSizeMb: 1024 };

/** Bytes of its own, which can move to another thread whole. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;
  return whole ? new Uint8Array(bytes.buffer) : Uint8Array.from(bytes);
}

/** Starts a thread with the first submission, and again should it end by itself; ends it after a minute without any. */
export function startIntake(settings: IntakeSettings, resourceLimits = memoryLimits): Intake {
  const pool = new Piscina<IntakeTask, IntakeReply>({
    filename: new URL('./intake-worker.ts', import.meta.url).href,
    workerData: { traces: quietly.traces, ...settings },
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: tasksAtOnce,
    maxQueue: queueMax,
    // By default an idle thread blocks, and its timers and connections with it.
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits,
  });
  // A thread that ends while nobody waits for it: the next submission starts another.
  pool.on('error', () => {});
  const underWay = new Set<Promise<unknown>>();

  const run = async (job: SubmissionJob, parent: TraceParent | null): Promise<Answer> => {
    const bytes = movable(job.upload.bytes);
    const task = { job: { ...job, upload: { ...job.upload, bytes } }, parent };
    const reply = await pool.run(task, { transferList: [bytes.buffer] });
    if ('answer' in reply) return reply.answer;
    throw restoreError(reply.error);
  };

  return {
    waiting: () => underWay.size,
    async submit(job, parent = null) {
      if (pool.queueSize >= queueMax)
        throw new DomainError(
          'bodies_too_many',
          'Too many large submissions wait: send this one again in a few seconds.',
        );
      const work = run(job, parent).finally(() => underWay.delete(work));
      underWay.add(work);
      return await work;
    },
    close: async () => {
      // What is cut off was never answered, and its transaction never committed.
      await Promise.race([Promise.allSettled(underWay), sleep(patience_ms, undefined, { ref: false })]);
      await pool.destroy();
    },
  };
}
