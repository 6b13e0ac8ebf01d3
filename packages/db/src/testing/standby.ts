import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsIn } from '../embedded/cluster.ts';
import { type Embedded, startEmbedded } from '../embedded/start.ts';
import { withConnection } from './connection.ts';
import { makeTempFolder } from './temp-folder.ts';

/** A primary and a streaming replica of it, both real servers. */
export interface Pair {
  /** The primary's, of a superuser. */
  readonly primary: Embedded;
  /** The replica's; started again it has another address. */
  readonly replica: Embedded;
  /** Starts the replica once more, where it was before. */
  restartReplica(): Promise<void>;
  /** Ends both and removes what they stored. */
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

/** Starts a primary, lets `prepare` fill it, and starts a replica of it. */
export async function startPair(prepare: (primaryUrl: string) => Promise<void>): Promise<Pair> {
  const folder = await makeTempFolder();
  const [primaryDir, replicaDir] = [join(folder, 'data'), join(folder, 'replica')];
  await mkdir(replicaDir, { recursive: true });
  const started: Embedded[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const primary = await startEmbedded({ dataDir: primaryDir, ...silent });
    started.push(primary);
    await prepare(primary.url);
    await copyCluster(primaryDir, replicaDir, primary.url);
    let replica = await startEmbedded({ dataDir: replicaDir, ...silent });
    started.push(replica);
    const port = Number(new URL(replica.url).port);
    return {
      primary,
      get replica() {
        return replica;
      },
      restartReplica: async () => {
        replica = await startEmbedded({ dataDir: replicaDir, port, ...silent });
        started.push(replica);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
