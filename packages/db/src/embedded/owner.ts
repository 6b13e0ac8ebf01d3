import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The account the server runs as; empty means the account of this process. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** "nobody": initdb insists on an account that the password database knows, and this one is in nearly all of them. */
const NOBODY = 65534;

/** Postgres refuses to run as root. There it runs as the owner of an existing cluster, or else as nobody. */
export async function findOwner(clusterDir: string): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const existing = await stat(clusterDir).catch(() => null);
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  return { uid: NOBODY, gid: NOBODY };
}

/** Whether the owner may enter every folder above `path`; a checkout below a 0700 home directory is the usual no. */
export async function canReach(path: string, owner: Owner): Promise<boolean> {
  if (owner.uid === undefined) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { uid, gid, mode } = await stat(folder);
    const enter = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
    if ((mode & enter) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether only root could have put files there: root runs what a cache folder holds. */
export async function isRootsOwn(folder: string): Promise<boolean> {
  const { uid, mode } = await lstat(folder);
  return uid === 0 && (mode & 0o022) === 0;
}

/** What the server's processes see of our environment: no PG* setting, no secret, and English messages to match on. */
export function serverEnv(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  return env;
}
