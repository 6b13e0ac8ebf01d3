import { DataDirLockedError } from '@inferboard/db/data-dir-lock';
import { EmbeddedPostgresError } from '@inferboard/db/embedded/errors';
import type { Log } from './deps.ts';
import { parseEnv, SettingsError } from './env.ts';
import { startService } from './service.ts';

/** Progress for people on standard output, trouble for machines on standard error. */
const log: Log = (level, message, details) => {
  if (level === 'info') console.log(message);
  else console.error(JSON.stringify({ time: new Date().toISOString(), level, message, ...details }));
};

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
  const service = await startService(parseEnv(process.env), log);
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    console.log(`${signal}: finishing what is under way ...`);
    service.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  if (service.adminKey !== null) console.log(`Admin key, shown this once: ${service.adminKey}`);
  console.log(service.url === null ? 'Inferboard is ready to measure' : `Inferboard is ready: ${service.url}`);
} catch (error) {
  console.error(isPlain(error) ? error.message : error);
  process.exit(1);
}
