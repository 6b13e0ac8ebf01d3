import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that has no name any more: it is gone with the process that holds it, however that ends. */
export interface UnnamedFile {
  append(bytes: Uint8Array): Promise<void>;
  /** Fills this with what was appended first. */
  read(into: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens one in a folder, which nobody else can read.
 *
 * @throws Error of the file system where the folder cannot be written to
 */
export async function openUnnamedFile(folder: string): Promise<UnnamedFile> {
  const name = join(folder, `inferboard-${randomUUID()}`);
  const file = await open(name, 'wx+', 0o600);
  await unlink(name);
  return {
    async append(bytes) {
      for (let written = 0; written < bytes.length; ) {
        written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
      }
    },
    async read(into) {
      for (let got = 0; got < into.length; ) {
        const { bytesRead } = await file.read(into, got, into.length - got, got);
        if (bytesRead === 0) throw new Error(`the file has ${got} of ${into.length} bytes`);
        got += bytesRead;
      }
    },
    close: () => file.close(),
  };
}
