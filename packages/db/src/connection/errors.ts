/** Error codes of a lost connection: the server's (class 08, 57P0x) and the driver's. */
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

/** The disk is full, a file is unreadable, or an object store rejects requests. May persist until an operator acts. */
const brokenCodes = new Set(['53100', '58030', 'OBJECT_STORE']);

/** A deadlock or serialization failure: the transaction was rolled back, and a retry may succeed. */
const conflictCodes = new Set(['40001', '40P01']);

/**
 * - `down`: the database is unreachable or cannot store
 * - `timeout`: a statement exceeded its time limit
 * - `busy`: too much concurrent work; a retry may succeed
 */
export type DatabaseProblem = 'down' | 'timeout' | 'busy';

const isLost = (code: string): boolean => downCodes.has(code) || code.startsWith('08');

function problemOf(code: string): DatabaseProblem | null {
  if (isLost(code) || brokenCodes.has(code)) return 'down';
  if (code === '57014') return 'timeout';
  // Class 53: out of connections, memory or another resource. 55P03: lock timeout.
  if (conflictCodes.has(code) || code.startsWith('53') || code === '55P03') return 'busy';
  return null;
}

/** The codes of an error and of its causes. */
export function* codesOf(error: unknown): Generator<string> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause) yield String(cause.code);
  }
}

/** Why the database failed a query, from any level of the driver's error; null if the query is at fault. */
export function databaseProblem(error: unknown): DatabaseProblem | null {
  for (const code of codesOf(error)) {
    const problem = problemOf(code);
    if (problem !== null) return problem;
  }
  return null;
}

/** True if a query failed because its connection was lost. */
export function isConnectionLost(error: unknown): boolean {
  return [...codesOf(error)].some(isLost);
}

/** True if a query failed because the database was unreachable. */
export function isDatabaseDown(error: unknown): boolean {
  return databaseProblem(error) === 'down';
}

/** True if the database could not store because its disk is full. Only an operator can resolve this. */
export function isDiskFull(error: unknown): boolean {
  return [...codesOf(error)].includes('53100');
}

/** True if a transaction failed only because of concurrent transactions. */
export function isConflict(error: unknown): boolean {
  return [...codesOf(error)].some((code) => conflictCodes.has(code));
}
