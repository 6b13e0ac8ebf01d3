import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ArtifactStoreSettings } from '@inferboard/db/artifacts/artifact-store';
import type { TelemetrySettings } from '@inferboard/telemetry/settings';
import type { Log } from '../deps.ts';
import { artifactStoreOf } from './artifact-settings.ts';
import { type Env, publicUrlOf, telemetryOf } from './env.ts';
import { type SupervisedChild, superviseChild } from './supervise-child.ts';

/** Settings in the worker's first message; the worker validates them. */
export interface WorkerSettings {
  databaseUrl: string;
  artifactStore: ArtifactStoreSettings | null;
  secretKey: string | null;
  earlierKeys: string[];
  allowCidrs: string[];
  publicUrl: string;
  datasets: string;
  establishedAfterDays: number;
  runThreads: number;
  telemetry: TelemetrySettings;
}

const main = fileURLToPath(new URL('../../../worker/src/main.ts', import.meta.url));
const patience_ms = 5000;

/** The settings that the worker needs. */
export function workerSettings(
  env: Env,
  { databaseUrl, secretKey }: { databaseUrl: string; secretKey: string | null },
): WorkerSettings {
  return {
    databaseUrl,
    artifactStore: artifactStoreOf(env),
    secretKey,
    earlierKeys: env.SECRET_KEY_EARLIER,
    allowCidrs: env.ENDPOINT_ALLOW_CIDRS,
    publicUrl: publicUrlOf(env, env.PORT),
    datasets: env.DATASETS,
    establishedAfterDays: env.ESTABLISHED_AFTER_DAYS,
    runThreads: env.RUN_THREADS,
    telemetry: telemetryOf(env),
  };
}

/**
 * Runs the worker in a separate process, so that neither affects the other's timing, and restarts it if it exits. The worker or
 * another one then resumes its runs. When it is stopped, it stores its measurements.
 */
export function startWorkerProcess(settings: WorkerSettings, log: Log): SupervisedChild {
  const start = () => {
    const child = fork(main, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.send(settings);
    return child;
  };
  return superviseChild(start, { name: 'The worker', patience_ms, log });
}
