import { mkdir, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { ensureCluster, ensurePassword, giveTo, hasCluster, type Paths, pathsIn } from './cluster.ts';
import { cannotEmbed, EmbeddedPostgresError } from './errors.ts';
import { launch } from './launch.ts';
import { findOwner } from './owner.ts';
import {
  disownLockFile,
  isServing,
  type Postmaster,
  probe,
  readPostmaster,
  serverUrl,
  stopPostmaster,
} from './postmaster.ts';

export interface EmbeddedOptions {
  /** Parent directory of the server's data, password and log. */
  readonly dataDir: string;
  readonly log: (message: string) => void;
  /** `false` trades durability for speed; for tests only. */
  readonly fsync?: boolean;
  /** Port for a new server; a free port if unset or 0. */
  readonly port?: number;
  /** Throws for a directory without a database instead of creating one. */
  readonly mustExist?: boolean;
}

export interface Embedded {
  /** Superuser URL on the loopback address. Contains the password: never log it. */
  readonly url: string;
  /** The server was already running: it outlived a killed process, or another process started it. */
  readonly adopted: boolean;
  readonly pid: number;
  /** Stops the server, adopted or not, and resolves when all its processes have ended. May be called twice. */
  stop(): Promise<void>;
}

const LOCKED_PATIENCE_MS = 5_000;
const STARTING_PATIENCE_MS = 300_000;

/**
 * Starts PostgreSQL from the installed platform package on the data below `dataDir`, or adopts the server that runs there.
 * Creates the cluster if needed. Safe for concurrent calls from several processes: one starts the server and the others adopt
 * it.
 *
 * The process that holds the lock on the data directory owns the server and stops it. Other processes, such as a command while
 * the service runs, leave an adopted server running.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log, fsync = true } = options;
  if (options.mustExist === true && !(await hasCluster(pathsIn(options.dataDir))))
    throw new EmbeddedPostgresError(`${pathsIn(options.dataDir).cluster} was removed.`);
  await mkdir(options.dataDir, { recursive: true });
  const paths = pathsIn(await realpath(options.dataDir));
  const password = await ensurePassword(paths);

  const running = await adopt(paths, password);
  if (running) return embedded(running, password, true, paths, null);

  const owner = await findOwner(paths.cluster);
  const binaries = await prepareBinaries({ dataDir: paths.dataDir, owner });
  await ensureCluster(paths, password, { binaries, owner, fsync, log });
  await giveTo(owner, paths.cluster);

  const deadline = performance.now() + LOCKED_PATIENCE_MS;
  for (;;) {
    const outcome = await launch(paths, { binaries, owner, fsync, port: options.port ?? 0 });
    if ('server' in outcome) {
      const answer = await probe(outcome.server, password);
      if (answer === 'ours') return embedded(outcome.server, password, false, paths, binaries);
      await stopPostmaster(outcome.server.pid, paths.cluster, binaries.pgCtl);
      if (answer === 'silent') throw cannotEmbed('The embedded PostgreSQL started but cannot be reached on 127.0.0.1');
      throw new EmbeddedPostgresError(
        `${paths.cluster} does not accept the password in ${paths.password}: restore it.`,
      );
    }
    // After a kill, the dead server can remain a zombie, or its last backends need a moment; or another start was faster.
    if (!outcome.retry || performance.now() > deadline) {
      throw cannotEmbed(`The embedded PostgreSQL did not start: ${outcome.reason} (see ${paths.log})`);
    }
    const holder = await readPostmaster(paths.cluster);
    if (holder && !(await isServing(holder.pid, paths.cluster))) await disownLockFile(holder, paths.cluster);
    await sleep(50);
    const other = await adopt(paths, password);
    if (other) return embedded(other, password, true, paths, binaries);
  }
}

function embedded(
  server: Postmaster,
  password: string,
  adopted: boolean,
  paths: Paths,
  binaries: Binaries | null,
): Embedded {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    const pgCtl = binaries?.pgCtl ?? null;
    await stopPostmaster(server.pid, paths.cluster, pgCtl);
  };
  return {
    url: serverUrl(server.port, password),
    adopted,
    pid: server.pid,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** The cluster's running server, once it responds; null if none runs. Waits for a server that is starting or stopping. */
async function adopt(paths: Paths, password: string): Promise<Postmaster | null> {
  const deadline = performance.now() + STARTING_PATIENCE_MS;
  let silentSince: number | null = null;
  while (performance.now() < deadline) {
    const server = await readPostmaster(paths.cluster);
    if (!server || !(await isServing(server.pid, paths.cluster))) return null;
    if (server.status === 'ready') {
      const answer = await probe(server, password);
      if (answer === 'ours') return server;
      if (answer === 'refused') {
        throw new EmbeddedPostgresError(`The server of ${paths.cluster} rejects the password in ${paths.password}.`);
      }
      silentSince ??= performance.now();
      if (performance.now() - silentSince > LOCKED_PATIENCE_MS) break;
    }
    await sleep(20);
  }
  const server = await readPostmaster(paths.cluster);
  throw new EmbeddedPostgresError(
    `A PostgreSQL server (pid ${server?.pid}) uses ${paths.cluster} but does not respond.`,
  );
}
