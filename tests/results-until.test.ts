import type { Sql } from 'postgres';
import { expect, test } from 'vitest';
import { useTestApp } from '../apps/api/src/testing/index.ts';
import { recordStatements } from '../bench/scale/fill/statements.ts';
import { countRows } from './support/rows-read.ts';

const app = useTestApp({ sampleData: true });

test('excludes results stored and measured later without reading their submissions', async () => {
  const { database } = app.deps;
  await database.sql`analyze`;
  const [count] = await database.sql<{ n: number }[]>`select count(*)::int as n from results where status = 'accepted'`;
  const ask = () => app.get<{ data: unknown[] }>('/v1/results?until=2001-01-01T00:00:00Z');
  expect((await ask()).data).toEqual([]);
  const client = Reflect.get(database.db, '$client') as Sql;
  const path = '/v1/results?until=2001-02-01T00:00:00Z';
  const statements = await recordStatements(database, () => app.get(path));
  const walks = statements.filter(({ text }) => /\bfrom results t\b/.test(text));
  expect(walks).toHaveLength(1);
  for (const walk of walks) expect((await countRows(client, walk)).read).toBeLessThanOrEqual((count?.n ?? 0) + 10);
});
