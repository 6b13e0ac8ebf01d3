import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

/** Tables with sealed values, and their columns for the ciphertext and the key id. */
const places = {
  endpoints: { box: 'credential_box', keyId: 'credential_key_id' },
  webhooks: { box: 'secret_box', keyId: 'secret_key_id' },
} as const;

export type SealedTable = keyof typeof places;
export const sealedTables = Object.keys(places) as SealedTable[]; // Object.keys returns string[]

/** A sealed value and its location. */
export interface SealedRow {
  table: SealedTable;
  id: string;
  keyId: string;
  box: Uint8Array;
}

function namesOf(table: SealedTable) {
  const { box, keyId } = places[table];
  return { table: sql.identifier(table), box: sql.identifier(box), keyId: sql.identifier(keyId) };
}

/** Values that are sealed with another key, after an id, at most `limit`. */
export async function listSealed(
  db: Queryable,
  of: { table: SealedTable; keyId: string; after: string; limit: number },
): Promise<SealedRow[]> {
  const { table, box, keyId } = namesOf(of.table);
  const rows = (await db.execute(sql`
    select id, ${keyId} as "keyId", ${box} as box from ${table}
    where ${box} is not null and ${keyId} <> ${of.keyId} and id > ${of.after}
    order by id limit ${of.limit}`)) as unknown as Omit<SealedRow, 'table'>[];
  return rows.map((row) => ({ table: of.table, ...row }));
}

/** Replaces a value with its resealed form. Returns false if the value was removed or changed meanwhile. */
export async function replaceSealed(
  db: Queryable,
  old: SealedRow,
  sealed: { keyId: string; box: Uint8Array },
): Promise<boolean> {
  const { table, box, keyId } = namesOf(old.table);
  const replaced = await db.execute(sql`
    update ${table} set ${keyId} = ${sealed.keyId}, ${box} = ${sealed.box}
    where id = ${old.id} and ${keyId} = ${old.keyId} and ${box} = ${old.box} returning id`);
  return replaced.length > 0;
}

/** Number of values that are sealed with none of some keys. */
export async function countSealedWithOthers(db: Queryable, keyIds: readonly string[]): Promise<number> {
  const counts = sealedTables.map((name) => {
    const { table, box, keyId } = namesOf(name);
    return sql`(select count(*) from ${table}
      where ${box} is not null and ${keyId} <> all(array[${sql.join(
        keyIds.map((id) => sql`${id}`),
        sql`, `,
      )}]::text[]))`;
  });
  const [row] = (await db.execute(sql`select (${sql.join(counts, sql` + `)})::int as count`)) as unknown as [
    { count: number },
  ];
  return row.count;
}
