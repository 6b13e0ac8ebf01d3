import { readdir, readlink, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathsIn } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { hasProcess } from './has-process.ts';
import { isServing } from './postmaster.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from './start.ts';

export interface SuperviseOptions extends Omit<EmbeddedOptions, 'port' | 'mustExist'> {
  /** Called once if the server ended and cannot be restarted. The message is one line for the operator. */
  readonly onLost: (error: EmbeddedPostgresError) => void;
}

/** A server that is restarted at the same address whenever it ends. */
export type SupervisedServer = Pick<Embedded, 'url' | 'stop'>;

const lookEvery_ms = 100;

/** Whether the server runs. Outside Linux, `isServing` starts a program, which is too expensive for frequent checks. */
const isRunning = (pid: number, cluster: string) =>
  process.platform === 'linux' ? isServing(pid, cluster) : Promise.resolve(hasProcess(pid));

/**
 * Ends orphaned backends of a killed server: a process in a long statement notices the crash only afterwards, and until then no
 * server can start. Linux only; on other systems the start waits.
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
      // The process ended meanwhile.
    }
  }
}

/**
 * Watches a server that this process owns by the lock on its data directory, and restarts it when it ends. Never creates a new
 * cluster: if the directory is gone, the server is lost.
 */
export function superviseServer(first: Embedded, options: SuperviseOptions): SupervisedServer {
  const { dataDir, log, onLost } = options;
  const port = Number(new URL(first.url).port);
  const stopping = new AbortController();
  let server = first;

  const restart = async (cluster: string) => {
    const from = performance.now();
    await endOrphans(cluster);
    server = await startEmbedded({ ...options, port, mustExist: true });
    if (server.url !== first.url) throw new EmbeddedPostgresError('another process started it on another port');
    log(`The embedded PostgreSQL stopped and was restarted in ${Math.round(performance.now() - from)} ms.`);
  };
  const watch = async () => {
    const cluster = await realpath(pathsIn(dataDir).cluster);
    // Requires two failed checks, because one can fail by chance and a restart ends the remaining server processes.
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
    onLost(new EmbeddedPostgresError(`The embedded PostgreSQL stopped and cannot be restarted: ${reason}`));
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
