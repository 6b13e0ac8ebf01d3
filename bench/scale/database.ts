import type { Sql } from 'postgres';

/** Settings for bulk loading, undone by `restore`. The ones below need no restart. */
const settings = {
  autovacuum: 'off',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
};

/** Statements that recreate what was dropped, in order. */
export type Dropped = readonly string[];

/** Constraints, foreign keys and indexes of the filled tables, and foreign keys to them; keys last. */
async function listDropped(sql: Sql, tables: readonly string[]): Promise<{ drop: string[]; restore: string[] }> {
  const constraints = await sql<{ drop: string; restore: string }[]>`
    select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
      format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as restore
    from pg_constraint c
    where (c.conrelid::regclass::text = any(${[...tables]}) and c.contype in ('f', 'p', 'u'))
      or c.confrelid::regclass::text = any(${[...tables]})
    order by c.contype = 'f' desc, c.conrelid::regclass::text, c.conname`;
  const indexes = await sql<{ drop: string; restore: string }[]>`
    select format('drop index %I', i.indexname) as drop, i.indexdef as restore
    from pg_indexes i
    where i.schemaname = 'public' and i.tablename = any(${[...tables]})
      and not exists (select 1 from pg_constraint c where c.conname = i.indexname and c.contype in ('p', 'u'))
    order by i.tablename, i.indexname`;
  return {
    drop: [...constraints, ...indexes].map(({ drop }) => drop),
    // Referenced keys come before the foreign keys.
    restore: [...indexes, ...constraints.toReversed()].map(({ restore }) => restore),
  };
}

/** Prepares the empty database for bulk loading: no indexes, no keys, no foreign keys, and few checkpoints. */
export async function prepare(sql: Sql, tables: readonly string[]): Promise<Dropped> {
  for (const [name, value] of Object.entries(settings)) await sql.unsafe(`alter system set ${name} = '${value}'`);
  await sql`select pg_reload_conf()`;
  const { drop, restore } = await listDropped(sql, tables);
  for (const statement of drop) await sql.unsafe(statement);
  return restore;
}

/** Recreates what was dropped, which checks every foreign key, and vacuums the database like a long-running one. */
export async function restore(sql: Sql, dropped: Dropped, print: (what: string) => void): Promise<void> {
  await sql`set maintenance_work_mem = '1GB'`;
  const run = async (statement: string) => {
    const start = performance.now();
    await sql.unsafe(statement);
    const seconds = (performance.now() - start) / 1000;
    if (seconds > 1) print(`${statement.slice(0, 90)}: ${seconds.toFixed(0)} s`);
  };
  for (const statement of dropped) await run(statement);
  for (const table of ['scenarios', 'points']) {
    await run(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
  }
  await run('vacuum (analyze)');
  for (const name of Object.keys(settings)) await sql.unsafe(`alter system reset ${name}`);
  await sql`select pg_reload_conf()`;
  await run('checkpoint');
}
