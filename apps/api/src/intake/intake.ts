import { Worker } from 'node:worker_threads';
import type { ArtifactStoreSettings } from '@inferboard/db/artifacts/artifact-store';
import { quietly, type TelemetrySettings } from '@inferboard/telemetry/settings';
import type { TraceParent } from '@inferboard/telemetry/trace-parent';
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

export type IntakeRequest = { id: number; job: SubmissionJob; parent: TraceParent | null } | 'stop';
export type IntakeReply = { id: number } & ({ answer: Answer } | { error: CarriedError });

/** A thread that reads, checks and stores what would keep everybody else waiting. */
export interface Intake {
  /** Takes the bytes away from the caller. Rejects with what went wrong, as if it had been done here. */
  submit(job: SubmissionJob, parent?: TraceParent | null): Promise<Answer>;
  /** Submissions that wait for the thread or are under way there. */
  waiting(): number;
  /** Lets what is under way end, for a moment, and lets go of the thread. */
  close(): Promise<void>;
}

/** How long a stop waits for what is under way, whose callers are gone by then. */
const patience_ms = 2000;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Bytes of its own, which can move to another thread whole. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;
  return whole ? new Uint8Array(bytes.buffer) : Uint8Array.from(bytes);
}

/** Starts the thread. Should it end by itself, whoever waits is told and the next submission starts another. */
export function startIntake(settings: IntakeSettings): Intake {
  let nextId = 1;
  let current: { worker: Worker; waiting: Map<number, Waiting>; ended: Promise<void> } | null = null;

  const start = () => {
    const waiting = new Map<number, Waiting>();
    const worker = new Worker(new URL('./intake-thread.ts', import.meta.url), {
      name: 'intake',
      workerData: { traces: quietly.traces, ...settings },
      // Much of what reading makes is thrown away at once: with room for it the collector seldom runs. By default the
      // room starts at a megabyte, and ten thousand results spend a seventh of their time on growing it.
      resourceLimits: { maxYoungGenerationSizeMb: 384 },
    });
    const started = { worker, waiting, ended: new Promise<void>((resolve) => worker.once('exit', () => resolve())) };
    const fail = (error: Error) => {
      if (current === started) current = null;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    worker.on('message', (reply: IntakeReply) => {
      const waiter = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('answer' in reply) waiter?.resolve(reply.answer);
      else waiter?.reject(restoreError(reply.error));
    });
    worker.once('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
    worker.once('exit', (code) => fail(new Error(`the intake thread ended with code ${code}`)));
    return started;
  };
  current = start();

  return {
    waiting: () => current?.waiting.size ?? 0,
    submit: (job, parent = null) =>
      new Promise((resolve, reject) => {
        current ??= start();
        const id = nextId++;
        current.waiting.set(id, { resolve, reject });
        const bytes = movable(job.upload.bytes);
        const request: IntakeRequest = { id, job: { ...job, upload: { ...job.upload, bytes } }, parent };
        current.worker.postMessage(request, [bytes.buffer]);
      }),
    close: async () => {
      if (current === null) return;
      const { worker, ended } = current;
      worker.postMessage('stop' satisfies IntakeRequest);
      // What is cut off was never answered, and its transaction never committed.
      const impatient = setTimeout(() => void worker.terminate(), patience_ms);
      await ended;
      clearTimeout(impatient);
    },
  };
}
