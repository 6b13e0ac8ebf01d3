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

/** True if a query failed because the database could not be reached, however deep the driver buried that. */
export function isDatabaseDown(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (downCodes.has(code) || code.startsWith('08')) return true;
  }
  return false;
}
