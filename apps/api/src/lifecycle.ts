import { DataDirLockedError } from '@inferboard/db/data-dir-lock';
import { EmbeddedPostgresError } from '@inferboard/db/embedded/errors';
import { SettingsError } from './env.ts';
import { StartFailure } from './start-failure.ts';

/** Errors whose message is enough. */
function isPlain(error: unknown): error is Error {
  return (
    error instanceof SettingsError ||
    error instanceof DataDirLockedError ||
    error instanceof EmbeddedPostgresError ||
    (error instanceof Error && error.message.startsWith('Cannot start'))
  );
}

/** Ends this process because it cannot start. */
export function failStart(error: unknown): never {
  if (!(error instanceof StartFailure)) console.error(isPlain(error) ? error.message : error);
  process.exit(1);
}

/** Ends this process when it is asked to, once what is under way is finished. Answers whether it is being ended. */
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
