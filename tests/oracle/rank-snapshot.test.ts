import { beforeAll, expect, test } from 'vitest';
import { useTestApp } from '../../apps/api/src/testing/index.ts';
import { preferredRanks } from '../../packages/core/src/ranking/default-rank.ts';
import { createDatabase } from '../../packages/db/src/connection/client.ts';
import { snapshotRanks } from '../../packages/db/src/re-derive/rank-snapshot.ts';
import { storeUploads } from './store.ts';
import { makeUploads } from './world.ts';

// `re-derive` computes the ranks of all boards in SQL. They must match the ranks that the boards show.

interface Board {
  definition: { id: string } | null;
  data: { rank: number | null; value: number; disputed: boolean; system: { id: string } }[];
  next_cursor: string | null;
}
interface Ranked {
  metric: string;
  workload: string;
  definition: string;
  system: string;
  rank: number;
  value: number;
}

const app = useTestApp();
let ranks: Ranked[] = [];

beforeAll(async () => {
  await storeUploads(app, makeUploads(11, 1500));
  const database = createDatabase(app.databaseUrl, { poolSize: 1, keepsConnections: true });
  try {
    await database.db.transaction((tx) => snapshotRanks(tx, 'ranks_before'));
    const rows = await database.db.execute(
      'select metric, workload, definition, system_id as system, rank::int as rank, value from ranks_before',
    );
    ranks = rows as unknown as Ranked[];
  } finally {
    await database.close();
  }
});

async function readBoard({
  metric,
  workload,
  definition,
}: Omit<Ranked, 'system' | 'rank' | 'value'>): Promise<Board['data']> {
  const query = new URLSearchParams({ rank_by: metric, workload, limit: '200' });
  if (definition !== '') query.set('definition', definition);
  const entries: Board['data'] = [];
  for (;;) {
    const page = await app.get<Board>(`/v1/leaderboard?${query}`);
    entries.push(...page.data);
    if (page.next_cursor === null) return entries;
    query.set('cursor', page.next_cursor);
  }
}

test('ranks from SQL equal the ranks on the boards', async () => {
  const boards = [
    ...Map.groupBy(ranks, ({ metric, workload, definition }) => `${metric} ${workload} ${definition}`).values(),
  ];
  const counts = { entries: 0, disputed: 0, shared: 0, definitions: 0 };
  const differences: unknown[] = [];
  for (const of of boards) {
    const [first] = of;
    if (first === undefined) continue;
    const board = await readBoard(first);
    const shown = board.map(({ rank, value, system }) => [system.id, rank, value]).sort();
    const counted = of.map(({ rank, value, system }) => [system, rank, value]).sort();
    if (JSON.stringify(shown) !== JSON.stringify(counted)) differences.push({ first, shown, counted });
    counts.entries += board.length;
    counts.disputed += board.filter(({ disputed }) => disputed).length;
    counts.shared += board.length - new Set(board.map(({ rank }) => rank)).size;
    counts.definitions += first.definition === '' ? 0 : 1;
  }
  expect(differences.slice(0, 3)).toEqual([]);
  // The data include every rule that affects a rank beyond the order of values.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10);
});

test('includes every board with entries', async () => {
  const known = new Set(ranks.map(({ metric, workload, definition }) => `${metric} ${workload} ${definition}`));
  const workloads = new Set(ranks.map(({ workload }) => workload));
  const { data } = await app.get<{ data: { id: string }[] }>('/v1/catalogue/workloads');
  for (const { id } of data) workloads.add(id);
  const missing: string[] = [];
  for (const workload of workloads) {
    for (const metric of preferredRanks) {
      const board = await app.get<Board>(`/v1/leaderboard?${new URLSearchParams({ rank_by: metric, workload })}`);
      const key = `${metric} ${workload} ${board.definition?.id ?? ''}`;
      if (board.data.length > 0 && !known.has(key)) missing.push(key);
    }
  }
  expect(missing).toEqual([]);
});
