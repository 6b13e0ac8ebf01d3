import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ArtifactStoreSettings } from '@inferboard/db/artifacts/artifact-store';
import type { TelemetrySettings } from '@inferboard/telemetry/settings';
import { artifactStoreOf } from './artifact-settings.ts';
import type { Log } from './deps.ts';
import { type Env, publicUrlOf, telemetryOf } from './env.ts';
import { type SupervisedChild, superviseChild } from './supervise-child.ts';

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

const main = fileURLToPath(new URL('../../worker/src/main.ts', import.meta.url));
const patience_ms = 5000;

/** What the worker needs of the settings of the whole. */
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
    telemetry: telemetryOf(env),
  };
}

/**
 * Runs the worker in a process of its own, so that neither disturbs the other's clock, and starts it again should it
 * end. Its runs are resumed then, by it or by another. What it had measured when it is stopped is stored.
 */
export function startWorkerProcess(settings: WorkerSettings, log: Log): SupervisedChild {
  const start = () => {
    const child = fork(main, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.send(settings);
    return child;
  };
  return superviseChild(start, { name: 'The worker', patience_ms, log });
}
