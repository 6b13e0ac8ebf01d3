import { DataDirLockedError } from '@inferboard/db/data-dir-lock';
import { EmbeddedPostgresError } from '@inferboard/db/embedded/errors';
import { createLogs } from '@inferboard/telemetry/log';
import { parseEnv, SettingsError, telemetryOf } from './env.ts';
import { startRoles } from './service.ts';
import { traceWork } from './trace-work.ts';

/** Troubles whose message says all there is to say. */
function isPlain(error: unknown): error is Error {
  return (
    error instanceof SettingsError ||
    error instanceof DataDirLockedError ||
    error instanceof EmbeddedPostgresError ||
    (error instanceof Error && error.message.startsWith('Cannot start'))
  );
}

try {
  const env = parseEnv(process.env);
  const settings = telemetryOf(env);
  const { log, logRequest } = createLogs(settings.log, env.ROLES.join(','));
  const tracing = await traceWork(settings.traces, 'inferboard');
  const service = await startRoles(env, log, { tracing, logRequest });
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log('info', `${signal}: finishing what is under way ...`);
    const stopped = service.stop().finally(() => tracing.stop());
    stopped.then(
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
  // Beside the log, which holds no keys.
  if (service.adminKey !== null) console.log(`Admin key, until one is used printed at each start: ${service.adminKey}`);
  log('info', service.url === null ? 'Inferboard is ready to measure' : `Inferboard is ready: ${service.url}`);
} catch (error) {
  console.error(isPlain(error) ? error.message : error);
  process.exit(1);
}
