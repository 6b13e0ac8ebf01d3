// Compares the results table with one that is partitioned into 36 months. Both have the same rows and the indexes of results;
// the service operations alternate between them. `npm run bench:partitions -- --rows 1000000`
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres, { type Sql } from 'postgres';
import { startEmbedded } from '../packages/db/src/embedded/start.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const rows = Number(values.rows);
const months = 36;
const points = Math.round(rows / 6.6);
const asked = 400;

const columns = `id text not null, submission_id text not null, ordinal integer not null, point_id bigint not null,
  created_at timestamptz not null, document jsonb not null, ${Array.from({ length: 12 }, (_, i) => `m${i} double precision`).join(', ')}`;

/** Ids start with their time, as in production. */
const rowsFrom = (first: number, count: number) => `
  select 'res_' || lpad(to_hex(n), 12, '0') || substr(md5(n::text), 1, 20), 'sub_' || lpad(to_hex(n / 10), 32, '0'), n % 10,
    1 + (hashint8(n) & 2147483647) % ${points},
    timestamptz '2024-01-01' + least(n, ${rows}) * (interval '${months} months' / ${rows}.0),
    jsonb_build_object('findings', repeat(md5(n::text), 12)),
    ${Array.from({ length: 12 }, (_, i) => `random() * ${i + 1}`).join(', ')}
  from generate_series(${first}::bigint, ${first + count - 1}::bigint) n`;

async function create(sql: Sql, table: string, isParted: boolean): Promise<void> {
  await sql.unsafe(`create table ${table} (${columns}) ${isParted ? 'partition by range (created_at)' : ''}`);
  if (isParted) {
    await sql.unsafe(`do $$ begin for m in 0..${months} loop execute format(
      'create table ${table}_%s partition of ${table} for values from (%L) to (%L)', m,
      timestamptz '2024-01-01' + m * interval '1 month', timestamptz '2024-01-01' + (m + 1) * interval '1 month');
      end loop; end $$`);
  }
  // In a partitioned table, a unique key must include the month.
  const key = isParted ? 'id, created_at' : 'id';
  await sql.unsafe(`insert into ${table} ${rowsFrom(0, rows)}`);
  await sql.unsafe(`create unique index on ${table} (${key})`);
  await sql.unsafe(`create unique index on ${table} (submission_id, ordinal${isParted ? ', created_at' : ''})`);
  await sql.unsafe(`create index on ${table} (point_id, id)`);
  await sql.unsafe(`vacuum analyze ${table}`);
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Queries of the service; each runs often, with different values. */
const questions: [name: string, text: (table: string, n: number) => string][] = [
  [
    'newest result of a point',
    (t, n) => `select * from ${t} where point_id = ${1 + ((n * 7919) % points)} order by id desc limit 1`,
  ],
  [
    'all results of 20 points',
    (t, n) =>
      `select * from ${t} where point_id in (${Array.from({ length: 20 }, (_, i) => 1 + (((n + i) * 7919) % points))})`,
  ],
  [
    'results of a submission',
    (t, n) =>
      `select * from ${t} where submission_id = 'sub_' || lpad(to_hex(${(n * 104_729) % (rows / 10)}), 32, '0') order by ordinal`,
  ],
  ['newest 50 results', (t) => `select * from ${t} order by id desc limit 50`],
  ['of the last month, mean', (t) => `select avg(m1) from ${t} where created_at >= timestamptz '2026-12-01'`],
];

const dataDir = await mkdtemp(join(tmpdir(), 'inferboard-bench-'));
const embedded = await startEmbedded({ dataDir, log: () => {} });
const sql = postgres(embedded.url, { max: 1, onnotice: () => {}, connection: { random_page_cost: 1.1 } });
const tables = ['whole', 'parted'] as const;
try {
  for (const table of tables) await create(sql, table, table === 'parted');
  console.log(`${rows} results of ${points} points, ${months} months; p50 in ms\n`);
  const print = (name: string, found: readonly number[]) =>
    console.log(
      `${name.padEnd(34)} one table ${found[0]?.toFixed(2).padStart(9)}   by month ${found[1]?.toFixed(2).padStart(9)}`,
    );
  for (const [name, text] of questions) {
    const times = tables.map((): number[] => []);
    const often = name.includes('mean') ? 9 : asked;
    for (let n = 0; n < often; n += 1)
      for (const [place, table] of tables.entries()) times[place]?.push(await timed(() => sql.unsafe(text(table, n))));
    print(name, times.map(median));
  }
  const inserts = tables.map((): number[] => []);
  const updates = tables.map((): number[] => []);
  const vacuums = tables.map((): number[] => []);
  for (let round = 0; round < 9; round += 1) {
    for (const [place, table] of tables.entries())
      inserts[place]?.push(
        await timed(() => sql.unsafe(`insert into ${table} ${rowsFrom(rows + round * 2000, 2000)}`)),
      );
  }
  for (const [place, table] of tables.entries()) {
    updates[place]?.push(await timed(() => sql.unsafe(`update ${table} set m1 = m1 + 1 where point_id % 100 = 3`)));
    vacuums[place]?.push(await timed(() => sql.unsafe(`vacuum ${table}`)));
  }
  print('insert of 2000', inserts.map(median));
  print('update of 1 % of points', updates.map(median));
  print('vacuum after it', vacuums.map(median));
  const sizes = await sql<{ kind: string; bytes: string }[]>`
    select relname as kind, pg_relation_size(oid) as bytes from pg_class
    where relname like 'whole%' and relkind in ('r', 'i') order by 1`;
  for (const { kind, bytes } of sizes) console.log(`${kind}: ${(Number(bytes) / rows).toFixed(0)} bytes a result`);
} finally {
  await sql.end();
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}
