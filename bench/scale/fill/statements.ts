import type { Sql } from 'postgres';
import type { Database } from '../../../packages/db/src/connection/client.ts';

/** A sent statement with its values as text; null is null. */
export interface Sent {
  text: string;
  values: readonly (string | null)[];
}

/** Argument of the client's debug hook: a value alone, or with its type. */
const toText = (value: unknown): string | null => {
  const plain = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  if (plain === null || plain === undefined) return null;
  if (typeof plain === 'object') return JSON.stringify(plain);
  return typeof plain === 'boolean' ? String(plain).slice(0, 1) : String(plain);
};

/** Records the statements of a database's clients; `take` returns those since its last call, in order. */
function listen(database: Database): { take(): Sent[]; end(): void } {
  let sent: Sent[] = [];
  // The drizzle type of a database does not expose its client.
  const ofDrizzle = [database.db, database.reads.db].map((db) => Reflect.get(db, '$client') as Sql);
  const clients = [database.sql, ...ofDrizzle];
  for (const client of clients) {
    client.options.debug = (_, text, parameters) => void sent.push({ text, values: parameters.map(toText) });
  }
  return {
    take: () => {
      const taken = sent;
      sent = [];
      return taken;
    },
    end: () => {
      for (const client of clients) client.options.debug = false;
    },
  };
}

/** The statements that `work` sends over any client of a database, in order. */
export async function recordStatements(database: Database, work: () => Promise<unknown>): Promise<Sent[]> {
  const listener = listen(database);
  try {
    await work();
    return listener.take();
  } finally {
    listener.end();
  }
}
