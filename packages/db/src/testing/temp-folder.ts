import { statfsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProcess } from '../embedded/has-process.ts';

const MEMORY_BYTES_MIN = 2 * 1024 ** 3;

/**
 * Root of temporary clusters: in memory if there is enough, which makes cloning a database 25 times faster than on a slow disk.
 * A container usually provides 64 MB, which is not enough.
 */
function tempRoot(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize >= MEMORY_BYTES_MIN) return '/dev/shm';
  } catch {
    // Does not exist on this system.
  }
  return tmpdir();
}

const PREFIX = 'inferboard-test-';

/** Creates a folder there, named after this process. The server's account may enter it if root runs the tests. */
export async function makeTempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tempRoot(), `${PREFIX}${process.pid}-`)));
  await chmod(folder, 0o755);
  return folder;
}

/** Folders of ended processes. A killed run leaves them behind, possibly with a running server. */
export async function listAbandonedFolders(): Promise<string[]> {
  const root = tempRoot();
  return (await readdir(root))
    .filter((name) => {
      const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
      return pid !== undefined && !hasProcess(Number(pid));
    })
    .map((name) => join(root, name));
}
