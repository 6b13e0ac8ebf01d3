import { SealError } from '@inferboard/outbound/sealed-secrets';
import type { Env } from './env.ts';

const ofFiles: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  EEXIST: 'it is a file, not a directory',
  ENOTDIR: 'a part of its path is a file, not a directory',
  ENOENT: 'it cannot be created',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the path is too long',
};

const ofConnections: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
]);

/** PostgreSQL error codes at connection: no such user or database, wrong password, too many sessions. */
const ofSessions = /^(?:28|3D|53300)/;

/** PostgreSQL error codes of a database in which this role cannot create the schema. */
const ofRights: Readonly<Record<string, string>> = {
  25006: 'is read-only. Give the primary, not a standby.',
  42501: 'does not permit its user to change the schema. Make the user the owner of the database.',
};

/** The error that has a code: drizzle wraps errors of PostgreSQL and of connections. */
function originOf(error: Error): Error {
  return 'code' in error || !(error.cause instanceof Error) ? error : originOf(error.cause);
}

type Settings = Pick<Env, 'DATA_DIR' | 'DATABASE_URL' | 'SECRET_KEY'>;

/** Why a process could not start and which setting is wrong, in one line; null if unknown. */
export function faultOfStart(thrown: unknown, { DATA_DIR, DATABASE_URL, SECRET_KEY }: Settings): string | null {
  if (!(thrown instanceof Error)) return null;
  const error = originOf(thrown);
  const code = 'code' in error ? String(error.code) : '';
  const [message = ''] = error.message.split('\n');
  if (error instanceof SealError) {
    const where = SECRET_KEY === undefined ? `the key in ${DATA_DIR}/secret-key` : 'SECRET_KEY';
    return `Cannot start: ${where} cannot be used: ${message}`;
  }
  if (message.startsWith('Cannot lock ')) return `Cannot start: DATA_DIR: ${message}`;
  const reason = ofFiles[code];
  const isOfDirectory = reason !== undefined && ('path' in error ? String(error.path).includes(DATA_DIR) : true);
  if (DATABASE_URL === undefined && isOfDirectory) return `Cannot start: DATA_DIR is ${DATA_DIR}: ${reason} (${code}).`;
  if (DATABASE_URL !== undefined && (ofConnections.has(code) || ofSessions.test(code)))
    return `Cannot start: the database of DATABASE_URL cannot be reached: ${message}`;
  const rights = ofRights[code];
  if (DATABASE_URL !== undefined && rights !== undefined)
    return `Cannot start: the database of DATABASE_URL ${rights} (${code})`;
  return null;
}
