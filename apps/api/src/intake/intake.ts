import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceLimits } from 'node:worker_threads';
import { DomainError } from '@inferboard/core/errors';
import type { Timeline } from '@inferboard/core/observed/timeline';
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
export type TimelineReply = { timeline: Timeline | null } | { error: CarriedError };

/** A thread that parses artifacts that would block the event loop, and checks and stores uploads. */
export interface Intake {
  /**
   * Transfers the bytes from the caller. Rejects with the same error as in the calling thread.
   *
   * @throws DomainError `bodies_too_many` if too many artifacts wait
   */
  submit(job: SubmissionJob, parent?: TraceParent | null): Promise<Answer>;
  /**
   * Reads the timeline of an artifact, null if there is none. Transfers the bytes from the caller.
   *
   * @throws DomainError `bodies_too_many` if too many artifacts wait
   */
  readTimeline(bytes: Uint8Array): Promise<Timeline | null>;
  /** Number of artifacts that wait for the thread or run there. */
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
  const pool = new Piscina({
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

  async function queued<T>(work: () => Promise<T>): Promise<T> {
    if (pool.queueSize >= queueMax)
      throw new DomainError('bodies_too_many', 'Too many large artifacts are queued. Try again in a few seconds.');
    const running = work().finally(() => underWay.delete(running));
    underWay.add(running);
    return await running;
  }

  return {
    waiting: () => underWay.size,
    submit: (job, parent = null) =>
      queued(async () => {
        const bytes = movable(job.upload.bytes);
        const task: IntakeTask = { job: { ...job, upload: { ...job.upload, bytes } }, parent };
        const reply: IntakeReply = await pool.run(task, { transferList: [bytes.buffer] });
        if ('answer' in reply) return reply.answer;
        throw restoreError(reply.error);
      }),
    readTimeline: (artifact) =>
      queued(async () => {
        const bytes = movable(artifact);
        const reply: TimelineReply = await pool.run(bytes, { name: 'readTimeline', transferList: [bytes.buffer] });
        if ('timeline' in reply) return reply.timeline;
        throw restoreError(reply.error);
      }),
    close: async () => {
      // Submissions cut off here were never acknowledged, and their transactions never committed.
      await Promise.race([Promise.allSettled(underWay), sleep(patience_ms, undefined, { ref: false })]);
      await pool.destroy();
    },
  };
}
