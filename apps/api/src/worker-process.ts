import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ArtifactStoreSettings } from '@inferboard/db/artifacts/artifact-store';
import type { TelemetrySettings } from '@inferboard/telemetry/settings';
import type { Log } from './deps.ts';

/** What the worker reads from its first message; it is checked there. */
export interface WorkerSettings {
  databaseUrl: string;
  artifactStore: ArtifactStoreSettings | null;
  secretKey: string | null;
  earlierKeys: string[];
  allowCidrs: string[];
  publicUrl: string;
  datasets: string;
  establishedAfterDays: number;
  telemetry: TelemetrySettings;
}

export interface WorkerProcess {
  /** Lets it give back what it measures, for a while, and ends it. */
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL('../../worker/src/main.ts', import.meta.url));
const patience_ms = 5000;
const restartLeast_ms = 1000;
const restartMost_ms = 30_000;

/**
 * Runs the worker in a process of its own, so that neither disturbs the other's clock, and starts it again should it
 * end. Its runs are resumed then, by it or by another.
 */
export function startWorkerProcess(settings: WorkerSettings, log: Log): WorkerProcess {
  let child: ChildProcess;
  let stopping = false;
  let pause_ms = restartLeast_ms;
  let restart: NodeJS.Timeout | undefined;
  const start = () => {
    const startedAt = performance.now();
    child = fork(main, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.send(settings);
    child.on('error', (error) => log('error', 'the worker', { error: String(error) }));
    child.once('exit', (code, signal) => {
      if (stopping) return;
      // One that ran for a while did not die of starting.
      pause_ms =
        performance.now() - startedAt > restartMost_ms ? restartLeast_ms : Math.min(pause_ms * 2, restartMost_ms);
      log('error', `The worker ended (${signal ?? code}); it is started again in ${pause_ms / 1000} s.`);
      restart = setTimeout(start, pause_ms);
    });
  };
  start();

  const end = () =>
    new Promise<void>((resolve) => {
      stopping = true;
      clearTimeout(restart);
      if (child.exitCode !== null || child.signalCode !== null) {
        resolve();
        return;
      }
      // What it had measured is stored; another resumes the rest.
      const impatient = setTimeout(() => child.kill('SIGKILL'), patience_ms);
      child.once('exit', () => {
        clearTimeout(impatient);
        resolve();
      });
      child.kill('SIGTERM');
    });
  let ended: Promise<void> | undefined;
  return {
    stop: () => {
      ended ??= end();
      return ended;
    },
  };
}
