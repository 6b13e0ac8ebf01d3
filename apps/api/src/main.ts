import { createLogs } from '@inferboard/telemetry/log';
import { type Env, parseEnv, telemetryOf } from './startup/env.ts';
import { failStart, stopBySignal } from './startup/lifecycle.ts';
import type { Service } from './startup/service.ts';

type Logs = ReturnType<typeof createLogs>;

/** Starts the roles in this process or in several processes. The modules of each mode are imported only there. */
async function start(env: Env, { log, logRequest }: Logs): Promise<Service> {
  if (env.PROCESSES > 1 && env.ROLES.some((role) => role !== 'worker')) {
    const { startProcesses } = await import('./processes/primary.ts');
    return startProcesses(env, log);
  }
  const { startRoles } = await import('./startup/service.ts');
  const { traceWork } = await import('./metrics/trace-work.ts');
  const tracing = await traceWork(telemetryOf(env).traces, 'inferboard');
  const service = await startRoles(env, log, { tracing, logRequest });
  return { ...service, stop: () => service.stop().finally(() => tracing.stop()) };
}

let env: Env | undefined;
try {
  env = parseEnv(process.env);
  const logs = createLogs(telemetryOf(env).log, env.ROLES.join(','));
  const { log } = logs;
  const service = await start(env, logs);
  const isStopping = stopBySignal((signal) => {
    log('info', `${signal}: finishing requests in progress ...`);
    return service.stop();
  });
  void service.lost.then(({ message }) => {
    if (isStopping()) return;
    console.error(message);
    process.exit(1);
  });
  // Printed directly, because the log must not contain keys.
  if (service.adminKey !== null)
    console.log(`Admin key (printed at each start until one is used): ${service.adminKey}`);
  if (service.signInLink !== null) console.log(`Sign in as admin (works once, within one hour): ${service.signInLink}`);
  log('info', service.url === null ? 'Inferboard is ready to measure' : `Inferboard is ready: ${service.url}`);
} catch (error) {
  failStart(error, env);
}
