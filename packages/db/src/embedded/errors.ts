/** A start, or a data directory, that the embedded Postgres cannot work with. The message is one line for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

const advice = 'Set DATABASE_URL to use a PostgreSQL server of your own.';

/** An error whose way out is another server: the cause in one line, then what to do. */
export function cannotEmbed(reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`${reason.replace(/\s+/g, ' ').trim().replace(/\.$/, '')}. ${advice}`);
}
