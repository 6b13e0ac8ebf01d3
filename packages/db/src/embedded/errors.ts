/** The embedded PostgreSQL cannot start or use a data directory. The message is one line for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

const advice = 'Set DATABASE_URL to use your own PostgreSQL server.';

/** An error that only another server can resolve: the cause in one line, then what to do. */
export function cannotEmbed(reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`${reason.replace(/\s+/g, ' ').trim().replace(/\.$/, '')}. ${advice}`);
}
