import { createLogs } from '@inferboard/telemetry/log';
import { type Env, parseEnv, telemetryOf } from './env.ts';
import { failStart, stopBySignal } from './lifecycle.ts';
import type { Service } from './service.ts';

type Logs = ReturnType<typeof createLogs>;

/** Starts the roles in this process, or as several processes. What either needs is loaded there only. */
async function start(env: Env, { log, logRequest }: Logs): Promise<Service> {
  if (env.PROCESSES > 1 && env.ROLES.some((role) => role !== 'worker')) {
    const { startProcesses } = await import('./processes/primary.ts');
    return startProcesses(env, log);
  }
  const { startRoles } = await import('./service.ts');
  const { traceWork } = await import('./trace-work.ts');
  const tracing = await traceWork(telemetryOf(env).traces, 'inferboard');
  const service = await startRoles(env, log, { tracing, logRequest });
  return { ...service, stop: () => service.stop().finally(() => tracing.stop()) };
}

try {
  const env = parseEnv(process.env);
  const logs = createLogs(telemetryOf(env).log, env.ROLES.join(','));
  const { log } = logs;
  const service = await start(env, logs);
  const isStopping = stopBySignal((signal) => {
    log('info', `${signal}: finishing what is under way ...`);
    return service.stop();
  });
  void service.lost.then(({ message }) => {
    if (isStopping()) return;
    console.error(message);
    process.exit(1);
  });
  // Not through the log, which holds no keys.
  if (service.adminKey !== null) console.log(`Admin key, until one is used printed at each start: ${service.adminKey}`);
  log('info', service.url === null ? 'Inferboard is ready to measure' : `Inferboard is ready: ${service.url}`);
} catch (error) {
  failStart(error);
}
