import { noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertAccount } from '../../accounts/account.ts';
import { createDatabase, type Database } from '../../connection/client.ts';
import { streamRows, streamSnapshot } from '../../service/snapshot-stream.ts';
import { useTestDatabase } from '../../testing/index.ts';
import { insertMeasured } from '../../testing/insert-measured.ts';
import type { LeaderboardRow } from './leaderboard-entries.ts';
import { type Board, listLeaderboard } from './leaderboard-list.ts';
import { streamLeaderboard } from './leaderboard-stream.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;
beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 2 });
  accountId = (await insertAccount(database.db, 'Submitter'))?.id ?? '';
  const measured = Array.from({ length: 350 }, (_, i) => ({
    system: `0.${i}`,
    // Includes ties, repetitions and single runs.
    metrics: [100 + (i % 90), ...(i % 3 === 0 ? [102 + (i % 90)] : [])].map((value) => ({ output_tok_s: value })),
  }));
  await insertMeasured(database, accountId, measured);
});
afterAll(() => database.close());

const rankBy = findMetric('output_tok_s') as Metric; // exists in the registry
const question = { rankBy, order: 'desc', filters: noFilters, definition: null } as const;

async function rest(boards: AsyncGenerator<Board>): Promise<LeaderboardRow[]> {
  const rows: LeaderboardRow[] = [];
  for await (const board of boards) rows.push(...board.rows);
  return rows;
}

const pageOf = async () => (await listLeaderboard(database.db, { ...question, limit: 1000, after: null })).rows;
const inTransaction = async () => {
  const [row] = await database.sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in%'`;
  return row?.n;
};

describe('a streamed board', () => {
  test('equals its pages', async () => {
    const rows = await rest(streamLeaderboard(database.db, question));
    expect(rows).toHaveLength(350);
    expect(rows).toEqual(await pageOf());
  });

  test('reads one snapshot, regardless of later writes', async () => {
    const before = await pageOf();
    const boards = streamLeaderboard(database.db, question);
    await boards.next();
    await insertMeasured(database, accountId, [{ system: 'newest', metrics: [{ output_tok_s: 200 }] }]);
    expect(await rest(boards)).toEqual(before);
    expect(await rest(streamLeaderboard(database.db, question))).toHaveLength(351);
  });

  test('starts its snapshot at the first query, even after a delay', async () => {
    const held = Promise.withResolvers<void>();
    const stream = streamSnapshot(database.db, async function* (tx) {
      await held.promise;
      yield await tx.execute(sql`select count(*)::int as n from systems`);
    });
    const first = stream.next();
    await expect.poll(inTransaction).toBe(1);
    await insertMeasured(database, accountId, [{ system: 'late', metrics: [{ output_tok_s: 1 }] }]);
    const [stored] = await database.sql`select count(*)::int as n from systems`;
    held.resolve();
    expect([...((await first).value ?? [])]).toEqual([stored]);
    await stream.return(undefined);
  });

  test('releases its connection when closed early', async () => {
    for (let i = 0; i < 5; i += 1) {
      const boards = streamLeaderboard(database.db, question);
      await boards.next();
      await boards.next();
      expect(await inTransaction()).toBe(1);
      await boards.return(undefined);
      expect(await inTransaction()).toBe(0);
    }
  });
});

describe('a stream of rows', () => {
  const numbers = sql`select i from generate_series(1, 25) i`;
  const collect = async (lasts_ms: number) => {
    const found: number[] = [];
    const chunks = streamSnapshot(database.db, (tx) =>
      streamRows<{ i: number }>(tx, numbers, { chunkRows: 10, lasts_ms }),
    );
    for await (const rows of chunks) found.push(...rows.map(({ i }) => i));
    return found;
  };

  test('has every row once, in order', async () => {
    expect(await collect(60_000)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
  });

  test('fails after its time limit', async () => {
    await expect(collect(-1)).rejects.toThrow('not read in time');
    expect(await inTransaction()).toBe(0);
  });

  test('reports errors in its query', async () => {
    const broken = streamSnapshot(database.db, (tx) =>
      streamRows(tx, sql`select 1 / (3 - i) from generate_series(1, 5) i`, { chunkRows: 1, lasts_ms: 1000 }),
    );
    const read = async () => {
      for await (const rows of broken) expect(rows).toHaveLength(1);
    };
    await expect(read()).rejects.toMatchObject({ cause: { code: '22012' } });
    expect(await inTransaction()).toBe(0);
  });
});
