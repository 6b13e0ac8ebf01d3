import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { toRecordsError } from './records-error.ts';

/** A file that grows by whole pieces. Every method throws `RecordsError`. */
export interface AppendFile {
  readonly file: string;
  /** False for a pipe or a device, which cannot be cut back. */
  readonly isRegular: boolean;
  /** Bytes of it. */
  length(): number;
  /** Adds all of the text, or nothing: what a full disk took of it is removed again. */
  append(text: string): void;
  /** Cuts it back to its first bytes. */
  cut(length: number): void;
  /** Waits until the disk has all of it. */
  sync(): void;
  close(): void;
}

/** Opens a file for appending, and makes it where it does not exist. @throws RecordsError */
export function openAppendFile(file: string, mode = 0o644): AppendFile {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw toRecordsError(file, error);
    }
  };
  const handle = attempt(() => openSync(file, 'a', mode));
  const status = attempt(() => fstatSync(handle));
  const isRegular = status.isFile();
  let length = isRegular ? status.size : 0;
  const cut = (to: number) => {
    if (!isRegular) return;
    attempt(() => ftruncateSync(handle, to));
    length = to;
  };
  return {
    file,
    isRegular,
    length: () => length,
    append: (text) => {
      const bytes = Buffer.from(text);
      try {
        let written = 0;
        while (written < bytes.length) written += writeSync(handle, bytes, written);
      } catch (error) {
        cut(length);
        throw toRecordsError(file, error);
      }
      length += bytes.length;
    },
    cut,
    sync: () => {
      if (isRegular) attempt(() => fsyncSync(handle));
    },
    close: () => closeSync(handle),
  };
}
