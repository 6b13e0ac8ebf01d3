import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

/** Queries that find a name of each kind. Accounts are also found by id. */
const places: Record<string, (key: string) => SQL> = {
  model: (key) => sql`select 1 from systems where model_key = ${key}`,
  model_family: (key) => sql`select 1 from systems where model_family = ${key}`,
  quantization: (key) => sql`select 1 from systems where quantization_key = ${key}`,
  gpu: (key) => sql`select 1 from systems where gpu_key = ${key}`,
  engine: (key) => sql`select 1 from systems where engine_key = ${key}`,
  engine_version: (key) => sql`select 1 from systems where engine_version = ${key}`,
  system: (key) => sql`select 1 from systems where id = ${key}`,
  scenario: (key) => sql`select 1 from scenarios where name = ${key}`,
  workload: (key) => sql`select 1 from scenarios where name = ${key}`,
  tool: (key) => sql`select 1 from results where tool = ${key}`,
  account: (key) => sql`select 1 from accounts where id = ${key} or lower(name) = lower(${key})`,
};

/** A name in canonical form, and the filter parameter it belongs to. */
export interface AskedName {
  kind: string;
  key: string;
}

/** For each name, whether a submission ever used it. Runs one statement for all names. */
export async function namesExist(db: Queryable, asked: readonly AskedName[]): Promise<boolean[]> {
  if (asked.length === 0) return [];
  const each = asked.map(({ kind, key }) => {
    const place = places[kind];
    if (place === undefined) throw new Error(`no names of kind ${kind}`);
    return sql`exists (${place(key)})`;
  });
  const rows = (await db.execute(sql`select array[${sql.join(each, sql`, `)}] as found`)) as unknown as {
    found: boolean[];
  }[];
  return rows[0]?.found ?? [];
}

/** True if a submission ever used this name, given in canonical form. */
export async function nameExists(db: Queryable, kind: string, key: string): Promise<boolean> {
  const [found] = await namesExist(db, [{ kind, key }]);
  return found === true;
}
