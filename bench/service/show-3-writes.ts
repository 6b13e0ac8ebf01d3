import type { Sql } from 'postgres';
import type { Service } from '../chaos/processes.ts';
import type { Statement } from './bare-clients.ts';
import { type Cost, median } from './cost.ts';
import { askBare, askService, clients, type Ground, inRounds, rounds } from './ground.ts';
import type { Asked } from './http-connection.ts';
import {
  allTables,
  copyMemoryRows,
  createBareTables,
  dropBareTables,
  emptyBareTables,
  findArrays,
  ownTables,
  readInserts,
  readMemoryRows,
  tablesOfKnownPoint,
} from './rows.ts';
import { bulk, busyPoint, freshPoints, submit } from './submissions.ts';

/** Limits from the issue for stored results. */
const bars = { fresh: 600, busy: 500, shareOfInsert: 0.5, alone_ms: 4, shareOfCopy: 0.8 } as const;

/** More than the service can store in a second. */
const mostPerSecond = 1500;
const bulkLines = 10_000;
/** Maximum number of submissions of a round whose rows the bare driver stores again. */
const storedAgain = 400;
type Tables = typeof allTables | typeof ownTables | typeof tablesOfKnownPoint;

/** The newest submission: ids are in the order of arrival. */
const newest = async (sql: Sql): Promise<string> =>
  (await sql<{ id: string }[]>`select id from submissions order by id desc limit 1`)[0]?.id ?? '';

async function storedAfter(sql: Sql, last: string): Promise<string[]> {
  return (await sql<{ id: string }[]>`select id from submissions where id > ${last} order by id`).map(({ id }) => id);
}

const countAccepted = async (sql: Sql, ids: readonly string[]): Promise<number> =>
  (
    await sql<{ n: number }[]>`
    select count(*)::int as n from results where submission_id = any(${[...ids]}) and status = 'accepted'`
  )[0]?.n ?? 0;

/** One round of single results. */
interface Singles {
  ours: Cost;
  /** INSERT of all stored rows, and of those without the board rows. */
  all: Cost;
  own: Cost;
  /** Number of ranked results among those that were stored again. */
  accepted: number;
  stored: number;
}

/** The INSERTs of some submissions into otherwise empty tables. */
async function insertAgain(ground: Ground, work: readonly Statement[][], connections: number): Promise<Cost> {
  const cost = await askBare(ground, work, { isOnce: true, ms: 600_000, clients: connections });
  await emptyBareTables(ground.database.sql);
  return cost;
}

interface SinglesKind {
  make(count: number): Asked[];
  isFresh: boolean;
  clients: number;
}

function measureSingles(ground: Ground, service: Service, { make, isFresh, clients }: SinglesKind): Promise<Singles[]> {
  const { sql } = ground.database;
  return inRounds(ground, async (ms) => {
    const last = await newest(sql);
    const pace = { isOnce: true, status: 201, clients, ms };
    const ours = await askService(ground, service, make((mostPerSecond * ms) / 1000), pace);
    const ids = (await storedAfter(sql, last)).slice(0, storedAgain);
    const insert = async (tables: Tables) => insertAgain(ground, await readInserts(sql, ids, tables), clients);
    const all = await insert(isFresh ? allTables : tablesOfKnownPoint);
    const own = isFresh ? await insert(ownTables) : all;
    return { ours, all, own, accepted: await countAccepted(sql, ids), stored: ids.length };
  });
}

async function showSingles(ground: Ground, service: Service): Promise<void> {
  const { verdicts } = ground;
  const kinds = [
    { name: 'single results at fresh points', make: freshPoints, isFresh: true, least: bars.fresh },
    { name: 'single results at one busy point', make: busyPoint, isFresh: false, least: bars.busy },
  ];
  for (const { name, least, ...kind } of kinds) {
    const found = await measureSingles(ground, service, { ...kind, clients });
    const speed = (of: 'ours' | 'all' | 'own') => median(found.map((round) => round[of].perSecond));
    const share = (of: 'all' | 'own') => median(found.map((round) => round.ours.perSecond / round[of].perSecond));
    const bare = { name: 'INSERT of the same rows', value: speed('all'), unit: '/s' };
    verdicts.atLeast(least, { name, value: speed('ours'), unit: '/s', bare });
    verdicts.atLeast(bars.shareOfInsert, { name: `${name}, share of INSERT`, value: share('all'), unit: '', bare });
    const stored = found.reduce((sum, round) => sum + round.stored, 0);
    const accepted = found.reduce((sum, round) => sum + round.accepted, 0);
    verdicts.print({ name: `${name}, accepted of ${stored}`, value: accepted, unit: '' });
    if (!kind.isFresh) continue;
    const without = { name: 'INSERT without rows of boards', value: speed('own'), unit: '/s' };
    verdicts.print({ name: `${name}, share of that`, value: share('own'), unit: '', bare: without });
  }
  const alone = await measureSingles(ground, service, { make: freshPoints, isFresh: true, clients: 1 });
  const p50 = (of: 'ours' | 'all') => median(alone.map((round) => round[of].p50_ms));
  const bare = { name: 'INSERT of the same rows', value: p50('all'), unit: 'ms' };
  verdicts.atMost(bars.alone_ms, { name: 'one client, p50', value: p50('ours'), unit: 'ms', bare });
}

/** Duration of some work in seconds, started when all writes are flushed. */
async function time(sql: Sql, work: () => Promise<unknown>): Promise<number> {
  await sql`checkpoint`;
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** COPY of all rows of one submission into some tables. */
async function copyAgain(sql: Sql, id: string, tables: Tables): Promise<number> {
  const rows = await readMemoryRows(sql, id, tables);
  const arrays = await findArrays(sql);
  const seconds = await time(sql, () => copyMemoryRows(sql, rows, arrays));
  await emptyBareTables(sql);
  return seconds;
}

async function showBulk({ database: { sql }, verdicts }: Ground, service: Service): Promise<void> {
  const taken: { ours: number; all: number; own: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const asked = bulk(bulkLines);
    let id = '';
    const ours = await time(sql, async () => {
      id = await submit(service, asked);
    });
    const all = await copyAgain(sql, id, allTables);
    const own = await copyAgain(sql, id, ownTables);
    if (round > 0) taken.push({ ours, all, own });
  }
  const name = `one upload of ${bulkLines} results at 2000 new points`;
  const speed = (of: 'ours' | 'all' | 'own') => median(taken.map((round) => bulkLines / round[of]));
  const share = (of: 'all' | 'own') => median(taken.map((round) => round[of] / round.ours));
  const bare = { name: 'COPY of the same rows', value: speed('all'), unit: 'results/s' };
  verdicts.print({ name, value: speed('ours'), unit: 'results/s', bare });
  verdicts.atLeast(bars.shareOfCopy, { name: `${name}, share of COPY`, value: share('all'), unit: '', bare });
  const without = { ...bare, name: 'COPY without rows of boards', value: speed('own') };
  verdicts.print({ name: `${name}, share of that`, value: share('own'), unit: '', bare: without });
}

/** Stored results, compared with the bare driver storing the same rows in tables of the same shape. */
export async function showWrites(ground: Ground, service: Service): Promise<void> {
  ground.verdicts.show(3, 'results stored');
  const { sql } = ground.database;
  await createBareTables(sql);
  try {
    await showSingles(ground, service);
    await showBulk(ground, service);
  } finally {
    await dropBareTables(sql);
  }
}
