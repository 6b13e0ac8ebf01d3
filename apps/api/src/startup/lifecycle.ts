import { DataDirLockedError } from '@inferboard/db/data-dir-lock';
import { EmbeddedPostgresError } from '@inferboard/db/embedded/errors';
import { type Env, SettingsError } from './env.ts';
import { StartFailure } from './start-failure.ts';
import { faultOfStart } from './start-fault.ts';

/** Errors whose message is sufficient without a stack trace. */
function isPlain(error: unknown): error is Error {
  return (
    error instanceof SettingsError ||
    error instanceof DataDirLockedError ||
    error instanceof EmbeddedPostgresError ||
    (error instanceof Error && error.message.startsWith('Cannot start'))
  );
}

/** Exits because the process cannot start. `env` are its settings, if they were already read. */
export function failStart(error: unknown, env?: Env): never {
  const fault = env === undefined || isPlain(error) ? null : faultOfStart(error, env);
  if (!(error instanceof StartFailure)) console.error(fault ?? (isPlain(error) ? error.message : error));
  process.exit(1);
}

/** Stops this process on a signal, after running requests finish. Returns a function that reports whether it is stopping. */
export function stopBySignal(stop: (signal: string) => Promise<void>): () => boolean {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    stop(signal).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => stopping;
}
