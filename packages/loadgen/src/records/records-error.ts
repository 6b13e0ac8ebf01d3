import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Records cannot be written or read, in words for the person at the keyboard. */
export class RecordsError extends Error {}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'the folder does not exist',
  EISDIR: 'it is a folder',
  EIO: 'the disk reports an error',
};

/** An error of the file system as a `RecordsError`. */
export function toRecordsError(file: string, error: unknown): RecordsError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT')
    return new RecordsError(`${file}: the ${existsSync(dirname(file)) ? 'file' : 'folder'} does not exist.`);
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new RecordsError(`${file}: ${reason}.`);
}
