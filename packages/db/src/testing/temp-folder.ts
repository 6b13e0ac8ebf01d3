import { statfsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProcess } from '../embedded/has-process.ts';

const MEMORY_BYTES_MIN = 2 * 1024 ** 3;

/**
 * Where throw-away clusters live: in memory where there is plenty, which makes cloning a database 25 times faster than on
 * a slow disk. A container usually grants 64 MB of it, which is not enough.
 */
function tempRoot(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize >= MEMORY_BYTES_MIN) return '/dev/shm';
  } catch {
    // Not on this system.
  }
  return tmpdir();
}

const PREFIX = 'inferboard-test-';

/** A new folder there, named after this process, that the server's account may enter when root runs the tests. */
export async function makeTempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tempRoot(), `${PREFIX}${process.pid}-`)));
  await chmod(folder, 0o755);
  return folder;
}

/** The folders whose process is gone: a run that is killed leaves them, and perhaps a server in them. */
export async function listAbandonedFolders(): Promise<string[]> {
  const root = tempRoot();
  return (await readdir(root))
    .filter((name) => {
      const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
      return pid !== undefined && !hasProcess(Number(pid));
    })
    .map((name) => join(root, name));
}
