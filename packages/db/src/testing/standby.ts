import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsIn } from '../embedded/cluster.ts';
import { type Embedded, startEmbedded } from '../embedded/start.ts';
import { withConnection } from './connection.ts';
import { makeTempFolder } from './temp-folder.ts';

/** A streaming replica. */
export interface Standby {
  readonly url: string;
  /** Signals the server and all its child processes. A stopped server neither responds nor rejects. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>;
  /** Restarts it at the same address. */
  restart(): Promise<void>;
}

/** A primary and its streaming replicas, all real servers. */
export interface Streaming {
  /** The primary, with a superuser URL. */
  readonly primary: Embedded;
  readonly standbys: readonly Standby[];
  /** Stops all servers and removes their data. */
  stop(): Promise<void>;
}

const silent = { log: () => {}, fsync: false } as const;

/** Copies the running primary's files like a base backup, and configures the copy to follow it. */
async function copyCluster(from: string, to: string, primaryUrl: string): Promise<void> {
  const [source, target] = [pathsIn(from), pathsIn(to)];
  await withConnection(primaryUrl, async (sql) => {
    await sql`select pg_backup_start('standby', true)`;
    // Files that the server removes meanwhile are restored from the log.
    const isLeftOut = /\/(?:postmaster\.(?:pid|opts)|pg_wal\/.+|pg_replslot\/.+|pgsql_tmp.*)$/;
    await cp(source.cluster, target.cluster, { recursive: true, filter: (path) => !isLeftOut.test(path) });
    const [stopped] = await sql<{ labelfile: string; spcmapfile: string }[]>`select * from pg_backup_stop(false)`;
    await writeFile(join(target.cluster, 'backup_label'), stopped?.labelfile ?? '');
  });
  const { hostname, port, username, password } = new URL(primaryUrl);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`;
  const settings = await readFile(join(source.cluster, 'postgresql.auto.conf'), 'utf8');
  await writeFile(join(target.cluster, 'postgresql.auto.conf'), `${settings}primary_conninfo = '${conninfo}'\n`);
  await writeFile(join(target.cluster, 'standby.signal'), '');
  await cp(source.password, target.password);
  await chmod(target.cluster, 0o700);
}

async function startStandby(dataDir: string, started: Embedded[]): Promise<Standby> {
  let server = await startEmbedded({ dataDir, ...silent });
  started.push(server);
  const { url } = server;
  return {
    url,
    async signal(signal) {
      const { pid } = server;
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
      for (const one of [pid, ...children.split(' ').filter(Boolean).map(Number)]) process.kill(one, signal);
    },
    async restart() {
      server = await startEmbedded({ dataDir, port: Number(new URL(url).port), ...silent });
      started.push(server);
    },
  };
}

/** Starts a primary, runs `prepare` on it, and starts its replicas. @internal */
export async function startStreaming(prepare: (primaryUrl: string) => Promise<void>, replicas = 1): Promise<Streaming> {
  const folder = await makeTempFolder();
  const primaryDir = join(folder, 'data');
  const started: Embedded[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const primary = await startEmbedded({ dataDir: primaryDir, ...silent });
    started.push(primary);
    await prepare(primary.url);
    const standbys: Standby[] = [];
    for (let number = 1; number <= replicas; number += 1) {
      const dataDir = join(folder, `replica-${number}`);
      await mkdir(dataDir, { recursive: true });
      await copyCluster(primaryDir, dataDir, primary.url);
      standbys.push(await startStandby(dataDir, started));
    }
    return { primary, standbys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
