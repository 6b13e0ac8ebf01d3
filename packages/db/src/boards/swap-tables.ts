import { sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';

/** Schema of the new tables during the fill. */
const draft = 'boards_draft';

const run = (tx: Transaction, statement: string) => tx.execute(sql.raw(statement));

/** Returns the single column of a query. */
async function listed(tx: Transaction, query: string): Promise<string[]> {
  return ((await run(tx, query)) as unknown as { it: string }[]).map(({ it }) => it);
}

const inDraft = (definition: string) => definition.replaceAll(/ ON (?:public\.)?/g, ` ON ${draft}.`);

/**
 * Rebuilds tables of the schema `public`. `fill` writes to empty tables of the same names without indexes, which then replace
 * the old ones. Until the swap, other transactions read the old tables. The new ones have the same columns, constraints,
 * indexes and triggers.
 */
export async function swapTables(tx: Transaction, tables: readonly string[], fill: () => Promise<void>): Promise<void> {
  await run(tx, `create schema ${draft}`);
  const keys: string[] = [];
  for (const table of tables) {
    await run(tx, `create table ${draft}.${table} (like public.${table} including all excluding indexes)`);
    const old = `'public.${table}'::regclass`;
    for (const trigger of await listed(
      tx,
      `select pg_get_triggerdef(oid) as it from pg_trigger where tgrelid = ${old} and not tgisinternal`,
    ))
      await run(tx, inDraft(trigger));
    keys.push(
      ...(await listed(
        tx,
        `select format('alter table ${draft}.${table} add constraint %I %s', conname, pg_get_constraintdef(oid)) as it
          from pg_constraint where conrelid = ${old} and contype in ('p', 'u')`,
      )),
      ...(
        await listed(
          tx,
          `select pg_get_indexdef(i.indexrelid) as it from pg_index i
            where i.indrelid = ${old} and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
        )
      ).map(inDraft),
    );
  }
  const [path = ''] = await listed(tx, `select current_setting('search_path') as it`);
  await run(tx, `set local search_path = ${draft}, public`);
  await fill();
  for (const key of keys) await run(tx, key);
  await run(tx, `set local search_path = ${path}`);
  for (const table of tables) {
    await run(tx, `drop table public.${table}`);
    await run(tx, `alter table ${draft}.${table} set schema public`);
  }
  await run(tx, `drop schema ${draft}`);
}
