import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { EmbeddedPostgresError } from './errors.ts';
import { hasProcess } from './has-process.ts';

const run = promisify(execFile);

/** The contents of `postmaster.pid` of a running server. */
export interface Postmaster {
  readonly pid: number;
  /** 0 until the server listens. */
  readonly port: number;
  readonly status: string;
  readonly text: string;
}

const pidFile = (clusterDir: string) => join(clusterDir, 'postmaster.pid');

/** Reads the cluster's lock file, of a running or dead server; null if it does not exist. */
export async function readPostmaster(clusterDir: string): Promise<Postmaster | null> {
  const text = await readFile(pidFile(clusterDir), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw new EmbeddedPostgresError(`Cannot read ${pidFile(clusterDir)} (${error.code}): it belongs to another user.`);
  });
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim(), text };
}

/**
 * Whether that pid is still the server of this cluster. The pid alone is ambiguous: a restarted container reuses small pids,
 * and a killed server can remain a zombie. Linux shows the working directory, which is the data directory; macOS shows the
 * command line. On Windows a live pid must suffice, and the connection attempt decides.
 */
export async function isServing(pid: number, clusterDir: string): Promise<boolean> {
  if (!hasProcess(pid)) return false;
  if (process.platform === 'win32') return true;
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
    return stdout.includes(clusterDir);
  }
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDir));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}

/**
 * Makes PostgreSQL ignore a lock file whose pid now belongs to another process. Removing the file would also remove the shared
 * memory key by which PostgreSQL detects surviving backends. A lock with the pid of the parent process counts as stale.
 */
export async function disownLockFile(stale: Postmaster, clusterDir: string): Promise<void> {
  const current = await readPostmaster(clusterDir);
  if (current?.text !== stale.text) return;
  await writeFile(pidFile(clusterDir), stale.text.replace(/^\d+/, String(process.pid)));
}

export function serverUrl(port: number, password: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

/** The server's state at that address: ours, not responding yet, or rejecting our password. */
export async function probe(server: Postmaster, password: string): Promise<'ours' | 'silent' | 'refused'> {
  const sql = postgres(serverUrl(server.port, password), { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    // The server reads the file in its own directory, so equal text proves that it serves this cluster.
    const [row] = await sql`select pg_read_file('postmaster.pid') as text`;
    return row?.text === server.text ? 'ours' : 'silent';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === '28P01' ? 'refused' : 'silent';
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function signal(pid: number, mode: 'fast' | 'immediate' | 'kill', clusterDir: string, pgCtl: string | null) {
  try {
    // Windows lacks these signals; pg_ctl implements the server's replacement.
    if (process.platform === 'win32' && pgCtl !== null && mode !== 'kill') {
      await run(pgCtl, ['stop', '-D', clusterDir, '-m', mode, '-W']);
    } else {
      process.kill(pid, { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' }[mode]);
    }
  } catch {
    // The process ended meanwhile; the caller checks.
  }
}

/** Stops the cluster's server and waits for its end. Rolls back open transactions and closes client connections. */
export async function stopPostmaster(pid: number, clusterDir: string, pgCtl: string | null): Promise<void> {
  const steps = [
    { mode: 'fast', patience_ms: 10_000 },
    { mode: 'immediate', patience_ms: 5_000 },
    { mode: 'kill', patience_ms: 5_000 },
  ] as const;
  for (const { mode, patience_ms } of steps) {
    const deadline = performance.now() + patience_ms;
    if (await isServing(pid, clusterDir)) await signal(pid, mode, clusterDir, pgCtl);
    while (await isServing(pid, clusterDir)) {
      if (performance.now() > deadline) break;
      await sleep(10);
    }
    if (!(await isServing(pid, clusterDir))) return;
  }
  throw new EmbeddedPostgresError(`The embedded PostgreSQL (pid ${pid}) does not stop.`);
}
