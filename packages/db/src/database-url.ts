/** An address of a database, without what is meant for us alone. */
export interface DatabaseUrl {
  /** For the driver. */
  readonly url: string;
  /** True for a pooler that hands each transaction to another connection: nothing may outlive a transaction. */
  readonly isPooled: boolean;
}

/** Reads `?pgbouncer=true`, which the driver would pass on to the server, who does not know it. */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  const mark = url.indexOf('?');
  if (mark === -1) return { url, isPooled: false };
  const query = new URLSearchParams(url.slice(mark + 1));
  const isPooled = query.get('pgbouncer') === 'true';
  query.delete('pgbouncer');
  const rest = query.size === 0 ? '' : `?${query}`;
  return { url: `${url.slice(0, mark)}${rest}`, isPooled };
}
