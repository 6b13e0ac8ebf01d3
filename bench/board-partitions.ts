// Compares board rows in one table with a table that is partitioned by list of boards, one group for each group of workloads.
// Runs the same service operations on both, with the same rows.
//   npm run bench:board-partitions -- --rows 50000000 --minutes 5
// All figures are CPU time of PostgreSQL from /proc, so it needs Linux. It needs up to 250 bytes of disk per row in the
// temporary folder. Both tables are unlogged, so WAL costs are not included; /proc excludes disk waits.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { startEmbedded } from '../packages/db/src/embedded/start.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    /** Maximum duration of filling the first table; the second gets as many rows. */
    minutes: { type: 'string', default: '5' },
  },
});
/** Boards of a workload, each with one value of every point. */
const metrics = 15;
const workloads = 32;
const pointsAtOnce = 100_000;
const asked = 200;
let points = Math.ceil(Number(values.rows) / metrics);

/**
 * The order that uploads produce: the values of a point together, points of all workloads in turn. Workloads differ in size: the
 * first has a sixth of the points, the last 1.5 %.
 */
const rowsFrom = (first: number, count: number) => `
  select w.id * ${metrics} + m, p, 'accepted', 0, w.system, (hashint8(p * ${metrics} + m) & 2147483647) / 1000::float8,
    null, null, null, '{vllm}', 'unconfirmed', false, 0, true, p % 5 = 0
  from generate_series(${first}::bigint, ${first + count - 1}::bigint) p,
    lateral (
      select floor(${workloads} * ((hashint8extended(p, 1) & 2147483647) / 2147483648::float8) ^ 2)::int as id,
        'sys_' || lpad(to_hex(p / 5), 16, '0') as system
      offset 0) w,
    generate_series(0, ${metrics - 1}) m`;

const columns = `board_id int not null, point_id bigint not null, status text not null, variant smallint not null,
  system_id text not null, worth double precision not null, n int, sd double precision, reach double precision,
  tools text[] not null, trust text not null, disputed boolean not null, unnamed smallint not null,
  is_first boolean not null, is_best boolean not null`;

const dataDir = await mkdtemp(join(tmpdir(), 'inferboard-bench-'));
const embedded = await startEmbedded({ dataDir, log: () => {}, fsync: false });
const connection = { random_page_cost: 1.1, max_parallel_workers_per_gather: 0, max_parallel_maintenance_workers: 0 };
const sql = postgres(embedded.url, {
  max: 1,
  onnotice: () => {},
  connection: { ...connection, maintenance_work_mem: '512MB' },
});

const [backend] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
/** CPU time of the connection's backend process, ms. Other work on the machine affects it least. */
async function spent(work: () => Promise<unknown>): Promise<number> {
  const read = async () => Number((await readFile(`/proc/${backend.pid}/schedstat`, 'utf8')).split(' ')[0]) / 1e6;
  const from = await read();
  await work();
  return (await read()) - from;
}
/** The same for several backends. */
const spentOnEach = async (count: number, work: (n: number) => Promise<unknown>) =>
  (await spent(async () => {
    for (let n = 0; n < count; n += 1) await work(n);
  })) / count;

type Layout = 'one table' | 'partitions';

async function measure(layout: Layout): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const note = (name: string, value: number) => {
    found.set(name, value);
    console.log(`  ${layout.padEnd(11)} ${name.padEnd(58)} ${value.toFixed(2)} (load ${loadavg()[0]?.toFixed(1)})`);
  };
  const isParted = layout === 'partitions';
  // Each partition of the partitioned table is unlogged.
  await sql.unsafe(
    isParted
      ? `create table board_rows (${columns}) partition by list (board_id)`
      : `create unlogged table board_rows (${columns})`,
  );
  for (let workload = 0; isParted && workload < workloads; workload += 1) {
    const ids = Array.from({ length: metrics }, (_, m) => workload * metrics + m).join();
    await sql.unsafe(`create unlogged table rows_${workload} partition of board_rows for values in (${ids})`);
  }
  const patience_ms = Number(values.minutes) * 60_000;
  let filled = 0;
  const fill_ms = await spent(async () => {
    for (const from = performance.now(); filled < points; filled += pointsAtOnce) {
      if (!isParted && performance.now() - from > patience_ms) break;
      await sql.unsafe(`insert into board_rows ${rowsFrom(filled, Math.min(pointsAtOnce, points - filled))}`);
    }
  });
  points = Math.min(points, filled);
  const rows = points * metrics;
  if (!isParted) console.log(`${rows} rows of ${points} points on ${workloads * metrics} boards`);
  note('fill without indexes, µs a row', (fill_ms * 1000) / rows);
  const walk_ms = await spent(() => sql.unsafe('create index on board_rows (board_id, worth)'));
  note('index by board and worth, µs a row', (walk_ms * 1000) / rows);
  const key = '(point_id, board_id, status, variant)';
  const key_ms = await spent(() => sql.unsafe(`create unique index on board_rows ${key}`));
  note('index by point and board, µs a row', (key_ms * 1000) / rows);
  await sql`vacuum analyze board_rows`;
  const [size] = await sql<{ heap: number; indexes: number }[]>`
    select sum(pg_relation_size(oid))::float8 as heap, sum(pg_indexes_size(oid))::float8 as indexes
    from pg_class where relkind = 'r' and (relname = 'board_rows' or relname ~ '^rows_')`;
  note('rows, bytes each', (size?.heap ?? 0) / rows);
  note('indexes, bytes each', (size?.indexes ?? 0) / rows);

  const boardOf = (n: number) => (n * 7919) % (workloads * metrics);
  const pointOf = (n: number) => (n * 7_368_787) % points;
  const first50 = (n: number) => sql`
    select * from board_rows where board_id = ${boardOf(n)} order by worth desc limit 50`;
  await spentOnEach(20, first50);
  note('first 50 of a board, ms', await spentOnEach(asked, (n) => first50(n + 20)));
  const ofPoint = (n: number) => sql`select * from board_rows where point_id = ${pointOf(n)}`;
  note('all rows of a point, ms', await spentOnEach(asked, ofPoint));
  const ofBoard = (n: number) =>
    sql`select * from board_rows where point_id = ${pointOf(n)} and board_id = ${boardOf(n)}`;
  note('the row of a point on a board, ms', await spentOnEach(asked, ofBoard));
  const middle = Math.floor(workloads / 2) * metrics + 3;
  const scan = () => sql`
    select count(*) from board_rows where board_id = ${middle} and worth > 1000 and trust = 'unconfirmed' and not disputed`;
  note('a board by columns that are not in the index, ms', await spentOnEach(3, scan));
  const covered = () => sql`select count(*) from board_rows where board_id = ${middle} and worth > 1000`;
  note('a board by columns of the index, ms', await spentOnEach(5, covered));
  let next = points;
  const upload = async () => {
    await sql.unsafe(`insert into board_rows ${rowsFrom(next, 1)}`);
    next += 1;
  };
  note('insert of one point, ms', await spentOnEach(400, upload));
  const bulk_ms = await spent(() => sql.unsafe(`insert into board_rows ${rowsFrom(next, 10_000)}`));
  note('insert of 10,000 points, µs a row', (bulk_ms * 1000) / (10_000 * metrics));
  await sql`update board_rows set n = 1 where board_id = ${middle}`;
  const changed = isParted ? `rows_${Math.floor(workloads / 2)}` : 'board_rows';
  note('vacuum after a change of one board, s', (await spent(() => sql.unsafe(`vacuum ${changed}`))) / 1000);
  await sql`drop table board_rows`;
  await sql`checkpoint`;
  return found;
}

try {
  const one = await measure('one table');
  const parted = await measure('partitions');
  console.log(
    `\n| ${points * metrics} rows, ${cpus().length} cores | one table | ${workloads} partitions |\n| --- | --- | --- |`,
  );
  for (const [name, value] of one) console.log(`| ${name} | ${value.toFixed(2)} | ${parted.get(name)?.toFixed(2)} |`);
} finally {
  await sql.end();
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}
