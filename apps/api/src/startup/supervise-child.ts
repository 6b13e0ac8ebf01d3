import type { ChildProcess } from 'node:child_process';
import type { Log } from '../deps.ts';

/** A process that is restarted when it exits. */
export interface SupervisedChild {
  /** Stops it with SIGTERM, and with SIGKILL after the timeout. */
  stop(): Promise<void>;
}

interface Supervision {
  /** The start of log lines: "The worker". */
  name: string;
  /** How long it may take to finish its work. */
  patience_ms: number;
  log: Log;
}

const restartLeast_ms = 1000;
const restartMost_ms = 30_000;

/** Starts a child process and restarts it when it exits: after a second, or later if it keeps exiting. */
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
      // A process that ran for a while did not fail at its start, so the pause is reset.
      pause_ms =
        performance.now() - startedAt > restartMost_ms ? restartLeast_ms : Math.min(pause_ms * 2, restartMost_ms);
      log('error', `${name} ended (${signal ?? code}). Restarting in ${pause_ms / 1000} s.`);
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
