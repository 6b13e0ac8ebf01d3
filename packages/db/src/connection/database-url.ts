/** A database URL without our own parameters. */
export interface DatabaseUrl {
  /** For the driver. */
  readonly url: string;
  /** True for a transaction-mode pooler: session state does not survive a transaction. */
  readonly isPooled: boolean;
}

/** Parses and removes `?pgbouncer=true`, which the driver would forward to the server as an unknown setting. */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  const mark = url.indexOf('?');
  if (mark === -1) return { url, isPooled: false };
  const query = new URLSearchParams(url.slice(mark + 1));
  const isPooled = query.get('pgbouncer') === 'true';
  query.delete('pgbouncer');
  const rest = query.size === 0 ? '' : `?${query}`;
  return { url: `${url.slice(0, mark)}${rest}`, isPooled };
}
