import { once } from 'node:events';
import { createLogs } from '@inferboard/telemetry/log';
import { parseEnv, telemetryOf } from '../env.ts';
import { failStart, stopBySignal } from '../lifecycle.ts';
import { startRoles } from '../service.ts';
import { traceWork } from '../trace-work.ts';
import type { ToMember, ToPrimary } from './messages.ts';

// One of several processes that answer at one port. The first process sends what it needs and starts it again if it ends.
process.once('disconnect', () => process.exit(1));
try {
  const [message] = (await once(process, 'message')) as [ToMember];
  if (message.type !== 'join') throw new Error(`The first message must be join, not ${message.type}.`);
  const { database, port, number } = message;
  const env = parseEnv(process.env);
  const { log, logRequest } = createLogs(telemetryOf(env).log, env.ROLES.join(','));
  const tracing = await traceWork(telemetryOf(env).traces, 'inferboard');
  const service = await startRoles(
    { ...env, PORT: port ?? env.PORT },
    log,
    { tracing, logRequest },
    { database, number },
  );
  stopBySignal(() => service.stop().finally(() => tracing.stop()));
  const { url, adminKey } = service;
  process.send?.({ type: 'ready', url: url ?? '', port: service.port ?? 0, adminKey } satisfies ToPrimary);
} catch (error) {
  failStart(error);
}
