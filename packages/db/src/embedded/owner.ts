import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The account that runs the server; empty means the account of this process. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** Uid of "nobody": initdb requires an account in the password database, and nearly all systems have this one. */
const NOBODY = 65534;

/** PostgreSQL refuses to run as root. For root, the server runs as the owner of the existing cluster, or as nobody. */
export async function findOwner(clusterDir: string): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const existing = await stat(clusterDir).catch(() => null);
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  return { uid: NOBODY, gid: NOBODY };
}

/**
 * Whether the owner may enter every parent folder of `path`. A checkout below a home directory with mode 0700 is the usual
 * obstacle.
 */
export async function canReach(path: string, owner: Owner): Promise<boolean> {
  if (owner.uid === undefined) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { uid, gid, mode } = await stat(folder);
    const enter = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
    if ((mode & enter) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether only root could have written there: root runs programs from a cache folder. */
export async function isRootsOwn(folder: string): Promise<boolean> {
  const { uid, mode } = await lstat(folder);
  return uid === 0 && (mode & 0o022) === 0;
}

/** The server's environment: without PG* settings and secrets, and with English messages, which we match. */
export function serverEnv(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  return env;
}
