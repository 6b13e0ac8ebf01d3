import { readdir, readlink, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathsIn } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { hasProcess } from './has-process.ts';
import { isServing } from './postmaster.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from './start.ts';

export interface KeepOptions extends Omit<EmbeddedOptions, 'port' | 'mustExist'> {
  /** Called once, when the server has ended and does not start again. Its message is one line for the operator. */
  readonly onLost: (error: EmbeddedPostgresError) => void;
}

/** A server that is started again, at the same address, whenever it ends. */
export type Kept = Pick<Embedded, 'url' | 'stop'>;

const lookEvery_ms = 100;

/** Whether the server runs. Elsewhere than on Linux `isServing` starts a program, too much for a look every moment. */
const isRunning = (pid: number, cluster: string) =>
  process.platform === 'linux' ? isServing(pid, cluster) : Promise.resolve(hasProcess(pid));

/**
 * Ends what a killed server left behind: a process in the middle of a long statement notices the loss only afterwards,
 * and no server starts beside it. On Linux alone; elsewhere the start waits for it.
 */
async function endOrphans(cluster: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const folder = await readlink(`/proc/${name}/cwd`).catch(() => '');
    if (folder !== cluster && folder !== `${cluster} (deleted)`) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}

/**
 * Watches a server that this process owns, by the lock on its data directory, and starts it again when it ends. Data is
 * never created anew: where the directory is gone, the server is lost.
 */
export function keepRunning(first: Embedded, options: KeepOptions): Kept {
  const { dataDir, log, onLost } = options;
  const port = Number(new URL(first.url).port);
  const stopping = new AbortController();
  let server = first;

  const restart = async (cluster: string) => {
    const from = performance.now();
    await endOrphans(cluster);
    server = await startEmbedded({ ...options, port, mustExist: true });
    if (server.url !== first.url) throw new EmbeddedPostgresError('another process started it at another port');
    log(`The embedded PostgreSQL ended and was started again in ${Math.round(performance.now() - from)} ms.`);
  };
  const watch = async () => {
    const cluster = await realpath(pathsIn(dataDir).cluster);
    // Twice, because a look can fail of itself, and a restart ends what is left of the server.
    for (let missed = 0; !stopping.signal.aborted; ) {
      missed = (await isRunning(server.pid, cluster)) ? 0 : missed + 1;
      if (missed === 2) {
        await restart(cluster);
        missed = 0;
      }
      await sleep(lookEvery_ms, undefined, { signal: stopping.signal, ref: false });
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    onLost(new EmbeddedPostgresError(`The embedded PostgreSQL ended and does not start again: ${reason}`));
  });
  return {
    url: first.url,
    stop: async () => {
      stopping.abort();
      await watching;
      await server.stop();
    },
  };
}
