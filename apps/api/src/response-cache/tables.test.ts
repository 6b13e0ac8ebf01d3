import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '@inferboard/db/connection/client';
import { countedWithOthers, scopeOfTable } from '@inferboard/db/schema/data-versions';
import { withConnection } from '@inferboard/db/testing/index';
import { expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { useConcerns } from '../testing/concerns.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { createResponseCache } from './response-cache.ts';

const app = useTestApp({ sampleData: true });
const concerns = useConcerns(app);

/** Tables that responses may depend on without separate triggers: the change counter, and tables that change only with others. */
const own = ['data_versions', ...countedWithOthers];

/** Every route with cached responses, with values for its parameters. */
async function cachedPaths(routes: ReturnType<typeof createApp>['routes']): Promise<string[]> {
  const cachedRoutes = routes.filter(({ method, handler }) => method === 'GET' && handler.name === 'cacheResponse');
  const { data } = await app.get<{ data: { id: string }[] }>('/v1/systems');
  const [system, other] = data.map(({ id }) => id);
  const submission = await concerns.submit(adminKey);
  const reported = await concerns.report(submission.id);
  const account = (await app.get<{ account: { id: string } }>(`/v1/submissions/${submission.id}`)).account.id;
  const ids: Record<string, string> = { systems: system ?? '', submissions: submission.id, accounts: account };
  await app.request(`/v1/concerns/${reported.body.id}/decision`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'dismissed', note: 'It is as stated.' }),
  });
  ids.concerns = reported.body.id;
  const results = await app.get<{ data: { id: string }[] }>('/v1/results');
  ids.results = results.data[0]?.id ?? '';
  const queries: Record<string, string> = {
    '/v1/compare': `?system=${system}&system=${other}`,
    '/v1/history': `?system=${system}`,
    '/v1/trends': `?system=${system}`,
    '/v1/matrix': '?rows=gpu&columns=quantization&metric=output_tok_s',
    '/v1/search': '?q=llama',
    '/v1/leaderboard': '?include=provisional&min_output_tok_s=1',
    '/v1/results': '?include=retracted&account=sample-data',
  };
  return cachedRoutes.map(({ path }) => {
    const collection = /(\w+)\/:id/.exec(path)?.[1] ?? '';
    const filled = path
      .replace(/:id\{.*\}/, `${ids[collection]}.svg`)
      .replace(':id', ids[collection] ?? '')
      .replace(':kind', 'gpus');
    return `${filled}${queries[path] ?? ''}`;
  });
}

// Otherwise the table could change while the cached response stays.
it('every table of a cached response has its changes counted', async () => {
  const database = createDatabase(app.databaseUrl, { applicationName: 'response cache' });
  const responseCache = createResponseCache({ primary: database, replica: null, bytesMax: 64 * 1024 ** 2 });
  const caching = createApp({ ...app.deps, database, responseCache });
  const paths = [...(await cachedPaths(caching.routes)), '/v1/catalogue/workloads', '/v1/best?q=best+model+on+h100'];
  expect(paths.length).toBeGreaterThan(20);
  // Connections report their reads when they close, at the latest.
  await app.deps.database.close();
  await withConnection(app.databaseUrl, async (sql) => {
    const areGone = async () =>
      (
        await sql`
          select 1 from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
      ).length === 0;
    const untilGone = async () => {
      while (!(await areGone())) await sleep(10);
    };
    await untilGone();
    await sql`select pg_stat_reset()`;
    for (const path of paths) {
      const before = responseCache.state.entries;
      const response = await caching.request(path);
      expect(response.status, `${path}: ${await response.text()}`).toBe(200);
      expect(responseCache.state.entries, `${path} is cached`).toBe(before + 1);
    }
    await database.close();
    await untilGone();
    const read = await sql<{ name: string }[]>`
      select relname as name from pg_stat_user_tables
      where schemaname = 'public' and coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0 order by 1`;
    const names = read.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['data_versions', 'concerns', 'point_statistics', 'reviews']));
    expect(names.filter((name) => scopeOfTable[name] === undefined && !own.includes(name))).toEqual([]);
  });
});
