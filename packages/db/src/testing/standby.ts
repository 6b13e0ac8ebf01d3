import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsIn } from '../embedded/cluster.ts';
import { type Embedded, startEmbedded } from '../embedded/start.ts';
import { withConnection } from './connection.ts';
import { makeTempFolder } from './temp-folder.ts';

/** A streaming replica. */
export interface Standby {
  readonly url: string;
  /** The server and all its connections: one that is stopped answers nothing, and refuses nothing. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>;
  /** Starts it once more, where it was before. */
  restart(): Promise<void>;
}

/** A primary and its streaming replicas, all real servers. */
export interface Streaming {
  /** The primary's, of a superuser. */
  readonly primary: Embedded;
  readonly standbys: readonly Standby[];
  /** Ends all and removes what they stored. */
  stop(): Promise<void>;
}

const silent = { log: () => {}, fsync: false } as const;

/** A copy of the running primary's files, as a base backup is made, told to follow it. */
async function copyCluster(from: string, to: string, primaryUrl: string): Promise<void> {
  const [source, target] = [pathsIn(from), pathsIn(to)];
  await withConnection(primaryUrl, async (sql) => {
    await sql`select pg_backup_start('standby', true)`;
    // What the server removes meanwhile is told by the log.
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

/** Starts a primary, lets `prepare` fill it, and starts as many replicas of it. */
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
