import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceLimits } from 'node:worker_threads';
import { DomainError } from '@inferboard/core/errors';
import type { ArtifactStoreSettings } from '@inferboard/db/artifacts/artifact-store';
import { quietly, type TelemetrySettings } from '@inferboard/telemetry/settings';
import type { TraceParent } from '@inferboard/telemetry/trace-parent';
import { Piscina } from 'piscina';
import type { Answer } from '../submissions/actions/answer-once.ts';
import type { SubmissionJob } from '../submissions/actions/answer-submission.ts';
import { type CarriedError, restoreError } from './carried-error.ts';

/** Start data for the thread. */
export interface IntakeSettings {
  databaseUrl: string;
  publicUrl: string;
  artifactStore?: ArtifactStoreSettings | null;
  traces?: TelemetrySettings['traces'];
}

export type IntakeTask = { job: SubmissionJob; parent: TraceParent | null };
export type IntakeReply = { answer: Answer } | { error: CarriedError };

/** A thread that parses, checks and stores uploads that would block the event loop. */
export interface Intake {
  /**
   * Transfers the bytes from the caller. Rejects with the same error as in the calling thread.
   *
   * @throws DomainError `bodies_too_many` if too many submissions wait
   */
  submit(job: SubmissionJob, parent?: TraceParent | null): Promise<Answer>;
  /** Number of submissions that wait for the thread or run there. */
  waiting(): number;
  /** Waits briefly for running submissions, then ends the thread. */
  close(): Promise<void>;
}

/** Concurrent submissions in the thread, each with a database connection. The others wait. */
export const tasksAtOnce = 4;
/** Maximum number of waiting submissions; their bytes are limited by those in flight. */
const queueMax = 256;
/** How long a shutdown waits for running submissions, whose clients are disconnected by then. */
const patience_ms = 2000;

/** Memory limits of the thread. A larger young generation makes collections rarer, but the process keeps its memory. */
const memoryLimits: ResourceLimits = { maxYoungGenerationSizeMb: 96, maxOldGenerationSizeMb: 1024 };

/** A copy in a separate buffer, if needed, which can be transferred to another thread. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;
  return whole ? new Uint8Array(bytes.buffer) : Uint8Array.from(bytes);
}

/** Starts a thread for the first submission and restarts it if it exits. Ends it after an idle minute. */
export function startIntake(settings: IntakeSettings, resourceLimits = memoryLimits): Intake {
  const pool = new Piscina<IntakeTask, IntakeReply>({
    filename: new URL('./intake-worker.ts', import.meta.url).href,
    workerData: { traces: quietly.traces, ...settings },
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: tasksAtOnce,
    maxQueue: queueMax,
    // By default an idle thread blocks, including its timers and connections.
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits,
  });
  // Handles an exit of the thread while no submission waits: the next submission starts another.
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
        throw new DomainError('bodies_too_many', 'Too many large submissions are queued. Try again in a few seconds.');
      const work = run(job, parent).finally(() => underWay.delete(work));
      underWay.add(work);
      return await work;
    },
    close: async () => {
      // Submissions cut off here were never acknowledged, and their transactions never committed.
      await Promise.race([Promise.allSettled(underWay), sleep(patience_ms, undefined, { ref: false })]);
      await pool.destroy();
    },
  };
}
