import { toRecordsError } from '../records/records-error.ts';

/** The exit code of a command that succeeded, except that its output could not be written. */
const unwrittenCode = 2;

/**
 * Lets a command continue if its output cannot be written, so that it still stores what it measures or submits. The reader of a pipe
 * may end first, such as `head`: the exit code then states what the command did. If the disk of standard output is full, the command
 * states that and does not end with 0.
 */
export function keepRunning(): void {
  let isReported = false;
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isReported) return;
    isReported = true;
    console.error(toRecordsError('standard output', error).message);
    process.once('exit', (code) => {
      if (code === 0) process.exitCode = unwrittenCode;
    });
  });
}
