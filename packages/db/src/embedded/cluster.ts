import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { cannotEmbed, EmbeddedPostgresError } from './errors.ts';
import { hasProcess } from './has-process.ts';
import { canReach, type Owner, serverEnv } from './owner.ts';

/** Paths of the embedded server below the data directory. */
export interface Paths {
  readonly dataDir: string;
  readonly cluster: string;
  readonly password: string;
  readonly log: string;
}

/** The paths for a data directory. */
export function pathsIn(dataDir: string): Paths {
  return {
    dataDir,
    cluster: join(dataDir, 'postgres'),
    password: join(dataDir, 'postgres.password'),
    log: join(dataDir, 'postgres.log'),
  };
}

/** Whether a complete cluster exists: it gets its name only after initdb succeeds. */
export async function hasCluster(paths: Paths): Promise<boolean> {
  if (await stat(join(paths.cluster, 'PG_VERSION')).catch(() => null)) return true;
  const entries = await readdir(paths.cluster).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw new EmbeddedPostgresError(`Cannot read ${paths.cluster} (${error.code}): it belongs to another user.`);
  });
  if (entries.length === 0) return false;
  throw new EmbeddedPostgresError(`${paths.cluster} is not a PostgreSQL data directory. Move it away.`);
}

/** The superuser's password, created once. If several processes race, the first one wins and all read a complete file. */
export async function ensurePassword(paths: Paths): Promise<string> {
  const read = async () => (await readFile(paths.password, 'utf8')).trim();
  const existing = await read().catch(() => '');
  if (existing !== '') return existing;
  if (await hasCluster(paths)) {
    // Fails if another process has just created both.
    const created = await read().catch(() => '');
    if (created !== '') return created;
    throw new EmbeddedPostgresError(`The password of ${paths.cluster} is missing: restore ${paths.password}.`);
  }
  const draft = `${paths.password}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, paths.password);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return read();
}

/**
 * The path of a data directory for the server. If its account cannot reach the directory by name, for instance below /root, the
 * path is relative: the process enters the folder before it changes the account.
 */
export async function dirArgument(dir: string, owner: Owner): Promise<string> {
  if (await canReach(dir, owner)) return dir;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw cannotEmbed(`uid ${owner.uid}, which runs PostgreSQL for root, cannot access the parent folders of ${dir}`);
}

async function runInitdb(binaries: Binaries, dir: string, owner: Owner, fsync: boolean): Promise<void> {
  const args = [
    ...['-D', await dirArgument(dir, owner), '--username=postgres', '--pwfile=../password', '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--no-instructions', ...(fsync ? [] : ['--no-sync'])],
  ];
  const child = spawn(binaries.initdb, args, {
    ...owner,
    cwd: dir,
    env: serverEnv(),
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const reason = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? null : signal ? `ended by ${signal}` : `exit ${code}`));
  });
  if (reason === null) return;
  const detail = /error: (.*)/.exec(stderr)?.[1] ?? stderr.trim().split('\n').at(-1) ?? '';
  throw cannotEmbed(`initdb could not create a database cluster (${detail || reason})`);
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Removes folders of starts that were killed during initdb. The pid is part of their name. */
async function removeAbandonedDrafts(paths: Paths): Promise<void> {
  for (const name of await readdir(paths.dataDir)) {
    const pid = /^postgres\.init-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || hasProcess(Number(pid))) continue;
    await rm(join(paths.dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/**
 * Creates the cluster unless it exists. initdb works in a temporary folder that is renamed when complete, so a kill leaves
 * either no cluster or a complete one. If two processes race, the first one wins.
 */
export async function ensureCluster(paths: Paths, password: string, options: ClusterOptions): Promise<void> {
  await removeAbandonedDrafts(paths);
  if (await hasCluster(paths)) return;
  options.log('Creating the embedded PostgreSQL database.');
  const { owner } = options;
  const draft = join(paths.dataDir, `postgres.init-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(join(draft, 'data'), { recursive: true, mode: 0o700 });
    await writeFile(join(draft, 'password'), password, { mode: 0o600 });
    if (owner.uid !== undefined && owner.gid !== undefined) {
      for (const path of [join(draft, 'password'), join(draft, 'data'), draft]) {
        await chown(path, owner.uid, owner.gid);
      }
    }
    await runInitdb(options.binaries, join(draft, 'data'), owner, options.fsync);
    await rename(join(draft, 'data'), paths.cluster).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    if (options.fsync) await syncFolder(paths.dataDir);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

export interface ClusterOptions {
  readonly binaries: Binaries;
  readonly owner: Owner;
  readonly fsync: boolean;
  readonly log: (message: string) => void;
}

/** A copy that root restored belongs to root, for whom PostgreSQL does not run. Changes the owner. */
export async function giveTo(owner: Owner, path: string): Promise<void> {
  const { uid, gid } = owner;
  if (uid === undefined || gid === undefined || (await stat(path)).uid !== 0) return;
  // Changes the root folder last: its owner shows whether the change is complete.
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), uid, gid);
  }
  await chmod(path, 0o700);
  await chown(path, uid, gid);
}
