import { open } from 'node:fs/promises';

/** True for the host of a URL of this machine. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
/** One file of several: its digest would not be that of the model. */
const partName = /-\d{5}-of-\d{5}\.gguf$/i;

/**
 * The GGUF file that a server on this machine reports as loaded. Null for a server elsewhere, or in a container, if its
 * path does not exist here.
 */
export async function findLocalWeights(hostname: string, path: string | null): Promise<string | null> {
  if (path === null || !isLoopback(hostname) || partName.test(path)) return null;
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) return null;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === 'GGUF' ? path : null;
  } finally {
    await file.close();
  }
}
