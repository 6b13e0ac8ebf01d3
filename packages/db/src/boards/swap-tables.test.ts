import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { ensureBoards } from './fill-boards.ts';
import { swapTables } from './swap-tables.ts';

const { database, insert } = useUploads();

/** Definitions of everything in `public` except row data, by name. */
async function definitions(): Promise<unknown> {
  const { sql } = database();
  return {
    columns: await sql`
      select table_name, column_name, data_type, is_nullable, column_default, is_identity, identity_generation
      from information_schema.columns where table_schema = 'public' order by 1, 2`,
    indexes: await sql`select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`,
    constraints: await sql`
      select conrelid::regclass::text as table, conname, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace order by 1, 2`,
    triggers: await sql`
      select tgrelid::regclass::text as table, tgname, pg_get_triggerdef(oid) from pg_trigger
      where not tgisinternal order by 1, 2`,
    sequences: await sql`select schemaname, sequencename from pg_sequences order by 1, 2`,
    schemas: await sql`select nspname from pg_namespace where nspname not like 'pg\\_%' order by 1`,
  };
}

test('keeps the definitions of rebuilt tables', async () => {
  await insert(resultsOf([{ metrics: { output_tok_s: 100 } }]));
  const before = await definitions();
  await ensureBoards(database().db, { isAnew: true });
  await ensureBoards(database().db, { isAnew: true });
  expect(await definitions()).toEqual(before);
  // The sequence of board ids continues.
  await insert(resultsOf([{ metrics: { output_tok_s: 100, req_s: 3 } }]));
  const [{ count } = { count: 0 }] = await database().sql<{ count: number }[]>`select count(*)::int from boards`;
  expect(count).toBeGreaterThan(2);
});

test('keeps the old tables readable during a rebuild, and after a failed one', async () => {
  await insert(resultsOf([{}]));
  const count = async () => (await database().sql`select from board_points`).length;
  const filled = (fails: boolean) =>
    database().db.transaction((tx) =>
      swapTables(tx, ['board_points'], async () => {
        await tx.execute(sql`
          insert into board_points select n, status, kind, workload, system_id, trust, unnamed, shape_id
          from public.board_points, generate_series(1, 3) n`);
        expect(await count()).toBe(1);
        if (fails) throw new Error('full');
      }),
    );
  await expect(filled(true)).rejects.toThrow('full');
  expect(await count()).toBe(1);
  await filled(false);
  expect(await count()).toBe(3);
});
