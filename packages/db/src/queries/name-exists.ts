import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';

const columns = {
  model: sql`model_key`,
  quantization: sql`quantization_key`,
  gpu: sql`gpu_key`,
  engine: sql`engine_key`,
} as const;

/** True if some system was submitted under this name, in its canonical form. */
export async function nameExists(db: Queryable, kind: keyof typeof columns, key: string): Promise<boolean> {
  const rows = (await db.execute(
    sql`select exists (select 1 from systems where ${columns[kind]} = ${key}) as found`,
  )) as unknown as { found: boolean }[];
  return rows[0]?.found === true;
}

/** True if some point has this scenario. */
export async function scenarioExists(db: Queryable, name: string): Promise<boolean> {
  const rows = (await db.execute(
    sql`select exists (select 1 from scenarios where name = ${name}) as found`,
  )) as unknown as { found: boolean }[];
  return rows[0]?.found === true;
}
