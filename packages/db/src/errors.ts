/** Codes of a connection that is not there: the server's own (class 08, 57P0x) and the driver's. */
const downCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  '57P01',
  '57P02',
  '57P03',
]);

/** The disk is full, a file cannot be read, or an object store refuses: that may last until somebody has looked. */
const brokenCodes = new Set(['53100', '58030', 'OBJECT_STORE']);

/** A deadlock or a serialization failure: nothing was stored, and the same transaction may succeed now. */
const conflictCodes = new Set(['40001', '40P01']);

/**
 * - `down`: the database cannot be reached or cannot store
 * - `timeout`: a statement ran longer than it may
 * - `busy`: too many at once; the same request may succeed in a moment
 */
export type DatabaseProblem = 'down' | 'timeout' | 'busy';

const isLost = (code: string): boolean => downCodes.has(code) || code.startsWith('08');

function problemOf(code: string): DatabaseProblem | null {
  if (isLost(code) || brokenCodes.has(code)) return 'down';
  if (code === '57014') return 'timeout';
  // Class 53: connections, memory or another resource ran out. 55P03: a lock was not granted in time.
  if (conflictCodes.has(code) || code.startsWith('53') || code === '55P03') return 'busy';
  return null;
}

/** The codes of an error and of whatever it was wrapped around. */
export function* codesOf(error: unknown): Generator<string> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause) yield String(cause.code);
  }
}

/** Why the database failed a query, however deep the driver buried that; null where the query itself was at fault. */
export function databaseProblem(error: unknown): DatabaseProblem | null {
  for (const code of codesOf(error)) {
    const problem = problemOf(code);
    if (problem !== null) return problem;
  }
  return null;
}

/** True if a query failed with its connection, which takes no more. */
export function isConnectionLost(error: unknown): boolean {
  return [...codesOf(error)].some(isLost);
}

/** True if a query failed because the database could not be reached. */
export function isDatabaseDown(error: unknown): boolean {
  return databaseProblem(error) === 'down';
}

/** True if a transaction failed only because of others at the same time. */
export function isConflict(error: unknown): boolean {
  return [...codesOf(error)].some((code) => conflictCodes.has(code));
}
