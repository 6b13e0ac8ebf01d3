import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasProcess } from './embedded/has-process.ts';

/** Another process uses this data directory. The message is one line for the operator. */
export class DataDirLockedError extends Error {
  override readonly name = 'DataDirLockedError';
  readonly dataDir: string;
  readonly pid: number | null;

  constructor(dataDir: string, pid: number | null) {
    const holder = pid === null ? 'another process' : `another process (pid ${pid})`;
    super(`${dataDir} is in use by ${holder}. Stop it, or set DATA_DIR to another directory.`);
    this.dataDir = dataDir;
    this.pid = pid;
  }
}

export interface DataDirLock {
  /** May be called twice. */
  release(): void;
}

const SQLITE_BUSY = 5;

/** Suppresses Node's warning that node:sqlite is experimental. */
function openSqlite(path: string): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    return new DatabaseSync(path, { timeout: 0 });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Null if another process holds the lock. An exclusive transaction without writes leaves nothing to repair. */
function tryLock(dataDir: string): DatabaseSync | null {
  let database: DatabaseSync | undefined;
  try {
    database = openSqlite(join(dataDir, 'instance.lock'));
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY) return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot lock ${dataDir} (${reason}): is it writable for this user?`);
  }
}

function readLivingPid(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 && hasProcess(pid) ? pid : null;
  } catch {
    return null;
  }
}

/**
 * Locks the directory for this process, or throws `DataDirLockedError`.
 *
 * Node has no file locks, but its SQLite uses one that the kernel releases when the process ends. No other code may open
 * `instance.lock`: closing any handle of a file releases the process's locks on it. The pid file is used only for the message.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  mkdirSync(dataDir, { recursive: true });
  const pidPath = join(dataDir, 'instance.pid');
  const database = tryLock(dataDir);
  if (database === null) {
    // The new holder may not have written its pid yet.
    for (let attempt = 0; attempt < 20 && readLivingPid(pidPath) === null; attempt += 1) await sleep(10);
    throw new DataDirLockedError(dataDir, readLivingPid(pidPath));
  }
  const draft = `${pidPath}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, String(process.pid));
  renameSync(draft, pidPath);
  let held = true;
  return {
    release: () => {
      if (!held) return;
      held = false;
      rmSync(pidPath, { force: true });
      database.close();
    },
  };
}
