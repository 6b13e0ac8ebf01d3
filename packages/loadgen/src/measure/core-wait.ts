import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Reads for how long this thread was ready and had no core, in ms since it began; null if the system does not report
 * it.
 */
export interface CoreWait {
  read(): number | null;
  close(): void;
}

const bytesMax = 128;

/** Keeps the file open: a reading costs some microseconds. */
export function openCoreWait(): CoreWait {
  const bytes = Buffer.alloc(bytesMax);
  let file: number | null = null;
  try {
    file = openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    // Not Linux, or without these statistics.
  }
  return {
    read: () => {
      if (file === null) return null;
      const [, waited] = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytesMax, 0)).split(' ');
      return waited === undefined ? null : Number(waited) / 1e6;
    },
    close: () => {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}
