import type { ChildProcess } from 'node:child_process';
import type { Log } from './deps.ts';

/** A process that is started again whenever it ends. */
export interface SupervisedChild {
  /** Ends it: by SIGTERM, and after the patience given by SIGKILL. */
  stop(): Promise<void>;
}

interface Supervision {
  /** Begins lines of the log: "The worker". */
  name: string;
  /** How long it may take to finish what is under way. */
  patience_ms: number;
  log: Log;
}

const restartLeast_ms = 1000;
const restartMost_ms = 30_000;

/** Starts a child process, and starts it again when it ends: after a second, or later if it keeps ending. */
export function superviseChild(fork: () => ChildProcess, { name, patience_ms, log }: Supervision): SupervisedChild {
  let child: ChildProcess;
  let stopping = false;
  let pause_ms = restartLeast_ms;
  let restart: NodeJS.Timeout | undefined;
  const start = () => {
    const startedAt = performance.now();
    child = fork();
    child.on('error', (error) => log('error', name, { error: String(error) }));
    child.once('exit', (code, signal) => {
      if (stopping) return;
      // One that ran for a while did not end because of how it was started.
      pause_ms =
        performance.now() - startedAt > restartMost_ms ? restartLeast_ms : Math.min(pause_ms * 2, restartMost_ms);
      log('error', `${name} ended (${signal ?? code}); it is started again in ${pause_ms / 1000} s.`);
      restart = setTimeout(start, pause_ms);
    });
  };
  start();

  const end = () =>
    new Promise<void>((resolve) => {
      stopping = true;
      clearTimeout(restart);
      if (child.exitCode !== null || child.signalCode !== null) {
        resolve();
        return;
      }
      const impatient = setTimeout(() => child.kill('SIGKILL'), patience_ms);
      child.once('exit', () => {
        clearTimeout(impatient);
        resolve();
      });
      child.kill('SIGTERM');
    });
  let ended: Promise<void> | undefined;
  return {
    stop: () => {
      ended ??= end();
      return ended;
    },
  };
}
