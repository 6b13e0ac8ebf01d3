import { once } from 'node:events';
import { createLogs } from '@inferboard/telemetry/log';
import { traceWork } from '../metrics/trace-work.ts';
import { type Env, parseEnv, telemetryOf } from '../startup/env.ts';
import { failStart, stopBySignal } from '../startup/lifecycle.ts';
import { startRoles } from '../startup/service.ts';
import type { ToMember, ToPrimary } from './messages.ts';

// One of several processes that share a port. The first process sends its settings and restarts it if it exits.
process.once('disconnect', () => process.exit(1));
let env: Env | undefined;
try {
  const [message] = (await once(process, 'message')) as [ToMember];
  if (message.type !== 'join') throw new Error(`The first message must be join, not ${message.type}.`);
  const { database, port, number } = message;
  env = parseEnv(process.env);
  const { log, logRequest } = createLogs(telemetryOf(env).log, env.ROLES.join(','));
  const tracing = await traceWork(telemetryOf(env).traces, 'inferboard');
  const service = await startRoles(
    { ...env, PORT: port ?? env.PORT },
    log,
    { tracing, logRequest },
    { database, number },
  );
  stopBySignal(() => service.stop().finally(() => tracing.stop()));
  const { url, adminKey, signInLink } = service;
  process.send?.({ type: 'ready', url: url ?? '', port: service.port ?? 0, adminKey, signInLink } satisfies ToPrimary);
} catch (error) {
  failStart(error, env);
}
