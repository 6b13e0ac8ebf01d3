import { sql } from 'drizzle-orm';
import type { Transaction } from '../transaction.ts';

/** Where new tables are while they are filled. */
const draft = 'boards_draft';

const run = (tx: Transaction, statement: string) => tx.execute(sql.raw(statement));

/** What one column of a query answers. */
async function listed(tx: Transaction, query: string): Promise<string[]> {
  return ((await run(tx, query)) as unknown as { it: string }[]).map(({ it }) => it);
}

const inDraft = (definition: string) => definition.replaceAll(/ ON (?:public\.)?/g, ` ON ${draft}.`);

/**
 * Fills tables of the schema `public` anew: `fill` finds empty ones by the same names, without indexes, which take their
 * places in the end. Others read the old ones until then. The new ones have the same columns, constraints, indexes and
 * triggers.
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
