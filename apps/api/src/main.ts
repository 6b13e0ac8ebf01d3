import cluster from 'node:cluster';
import { DataDirLockedError } from '@inferboard/db/data-dir-lock';
import { EmbeddedPostgresError } from '@inferboard/db/embedded/errors';
import { createLogs } from '@inferboard/telemetry/log';
import { type Env, parseEnv, SettingsError, telemetryOf } from './env.ts';
import { isAnswering, StartFailure, sayReady, untilJoined } from './processes/member.ts';
import type { Service } from './service.ts';

type Logs = ReturnType<typeof createLogs>;

/** Errors whose message is enough. */
function isPlain(error: unknown): error is Error {
  return (
    error instanceof SettingsError ||
    error instanceof DataDirLockedError ||
    error instanceof EmbeddedPostgresError ||
    (error instanceof Error && error.message.startsWith('Cannot start'))
  );
}

/** Starts the roles in this process, or as several processes. What each needs is loaded there only. */
async function start(env: Env, { log, logRequest }: Logs): Promise<Service> {
  if (cluster.isPrimary && env.PROCESSES > 1 && isAnswering(env)) {
    const { startProcesses } = await import('./processes/primary.ts');
    return startProcesses(env, log);
  }
  const opened = cluster.isWorker ? await untilJoined() : null;
  const { traceWork } = await import('./trace-work.ts');
  const tracing = await traceWork(telemetryOf(env).traces, 'inferboard');
  const { startRoles } = await import('./service.ts');
  const service = await startRoles(env, log, { tracing, logRequest }, opened);
  return { ...service, stop: () => service.stop().finally(() => tracing.stop()) };
}

try {
  const env = parseEnv(process.env);
  const logs = createLogs(telemetryOf(env).log, env.ROLES.join(','));
  const { log } = logs;
  const service = await start(env, logs);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    if (cluster.isPrimary) log('info', `${signal}: finishing what is under way ...`);
    service.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  void service.lost.then(({ message }) => {
    if (stopping) return;
    console.error(message);
    process.exit(1);
  });
  if (cluster.isWorker) {
    sayReady(service);
  } else {
    // Not through the log, which holds no keys.
    if (service.adminKey !== null)
      console.log(`Admin key, until one is used printed at each start: ${service.adminKey}`);
    log('info', service.url === null ? 'Inferboard is ready to measure' : `Inferboard is ready: ${service.url}`);
  }
} catch (error) {
  // The process that could not start has said why.
  if (!(error instanceof StartFailure)) console.error(isPlain(error) ? error.message : error);
  process.exit(1);
}
