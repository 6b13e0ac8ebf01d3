import { type SQL, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from '../connection/client.ts';
import { type Prepared, prepared, value } from '../connection/statement.ts';
import { atOnce, type Queryable } from '../connection/transaction.ts';

/** Rows by the statement and its parameters, all of one version of the results. */
interface Known {
  version: string;
  rows: LRUCache<string, readonly object[]>;
  /** Statements that are running, by version, statement and parameters. */
  running: Map<string, Promise<readonly object[]>>;
}

interface Moment {
  /** The version of the results in the snapshot. */
  version: Promise<string>;
  known: Known;
}

/** Rows that are kept for one database. A board needs a few hundred. */
const rowsMost = 20_000;
const knownOf = new WeakMap<Database['db'], Known>();
const moments = new WeakMap<Queryable, Moment>();

const asOneMoment = prepared<Record<string, never>>(sql`set transaction isolation level repeatable read, read only`);
// The driver prepares only statements with parameters.
const versionOf = prepared<{ scope: string }, { version: string }>(sql`
  select coalesce(sum(n), 0)::text as version from data_versions where scope = ${value('scope')}`);

async function readVersion(tx: Transaction): Promise<string> {
  const [row] = await versionOf(tx, { scope: 'results' });
  return row?.version ?? '';
}

/** Runs reads in one snapshot. The statements that set up the snapshot are sent together with the first read. */
export const atOneMoment = <T>(db: Database['db'], read: (tx: Transaction) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    const known = knownOf.get(db) ?? {
      version: '',
      rows: new LRUCache({ maxSize: rowsMost, sizeCalculation: ({ length }) => 1 + length }),
      running: new Map(),
    };
    knownOf.set(db, known);
    const setting = asOneMoment(tx, {});
    const version = readVersion(tx);
    moments.set(tx, { version, known });
    const [, , found] = await atOnce([setting, version, read(tx)]);
    return found;
  });

/** The version of the results in the snapshot of a transaction; null outside of `atOneMoment`. */
export const versionAtMoment = async (tx: Queryable): Promise<string | null> =>
  (await moments.get(tx)?.version) ?? null;

let statements = 0;

/**
 * A prepared statement whose rows depend on its parameters and the results only. In `atOneMoment`, it runs once for each version
 * of the results, also for transactions at the same time.
 */
export function preparedForMoment<Values extends Record<string, unknown>, Row extends object>(
  query: SQL,
): Prepared<Values, Row> {
  const run = prepared<Values, Row>(query);
  statements += 1;
  const statement = statements;
  return async (db, values, options) => {
    const moment = moments.get(db);
    if (moment === undefined) return run(db, values, options);
    const version = await moment.version;
    const { known } = moment;
    const key = `${statement} ${JSON.stringify(values)}`;
    const found = known.version === version ? (known.rows.get(key) as readonly Row[] | undefined) : undefined;
    if (found !== undefined) return [...found];
    const runningKey = `${version} ${key}`;
    // If the other transaction fails, this one runs the statement.
    const shared = await known.running.get(runningKey)?.catch(() => undefined);
    if (shared !== undefined) return [...(shared as readonly Row[])];
    const running = run(db, values, options);
    known.running.set(runningKey, running);
    try {
      const rows = await running;
      // Rows of an earlier version are not needed again.
      if (known.version !== version) known.rows.clear();
      known.version = version;
      known.rows.set(key, rows);
      return [...rows];
    } finally {
      known.running.delete(runningKey);
    }
  };
}
