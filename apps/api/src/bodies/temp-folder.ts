import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const prefix = 'inferboard-bodies-';

/** A folder for temporary files, created on first use. */
export interface TempFolder {
  /** @throws Error of the file system */
  path(): Promise<string>;
  /** Removes the folder and its contents. */
  remove(): Promise<void>;
}

/** A folder of this process inside `parent`. Its name contains the process id, so that leftovers can be found. */
export function createTempFolder(parent: string): TempFolder {
  let made: Promise<string> | null = null;
  return {
    path() {
      made ??= mkdtemp(join(parent, `${prefix}${process.pid}-`)).catch((error: unknown) => {
        made = null;
        throw error;
      });
      return made;
    },
    async remove() {
      const folder = await made?.catch(() => null);
      made = null;
      if (folder) await rm(folder, { recursive: true, force: true });
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes the folders of killed processes. In a container, an earlier process may have had this process's id. */
export async function removeLeftovers(parent: string): Promise<void> {
  const startedAt = Date.now() - process.uptime() * 1000;
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const path = join(parent, name);
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    const isOwn = pid === process.pid && (await stat(path)).birthtimeMs >= startedAt;
    if (!isOwn && (pid === process.pid || !isRunning(pid))) await rm(path, { recursive: true, force: true });
  }
}
