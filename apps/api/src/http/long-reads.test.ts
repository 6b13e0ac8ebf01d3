import { expect, test } from 'vitest';
import { useTestApp } from '../testing/index.ts';

const app = useTestApp({ sampleData: true });

test('lookups and writes do not wait for long reads', async () => {
  const { reads } = app.deps.database;
  const mayEnd = Promise.withResolvers<void>();
  const begun: Promise<void>[] = [];
  // Take all connections for long reads.
  const held = Array.from({ length: 4 }, () => {
    const hasBegun = Promise.withResolvers<void>();
    begun.push(hasBegun.promise);
    return reads.db.transaction(async () => {
      hasBegun.resolve();
      await mayEnd.promise;
    });
  });
  await Promise.all(begun);
  let answered = 0;
  const paths = [
    '/v1/leaderboard',
    '/v1/matrix',
    '/v1/pareto?x=itl_ms&y=decode_tok_s',
    '/v1/catalogue/gpus',
    '/v1/results.csv',
  ];
  const asked = [...paths, ...paths].map(async (path) => {
    const response = await app.request(path);
    answered += 1;
    await response.text();
    return { path, status: response.status };
  });
  try {
    for (let i = 0; i < 10; i += 1) {
      const [submission] = (await app.get<{ data: { id: string }[] }>('/v1/submissions?limit=1')).data;
      await app.get(`/v1/submissions/${submission?.id}`);
    }
    await app.createAccount('a write');
    expect(answered).toBe(0);
  } finally {
    mayEnd.resolve();
    await Promise.all(held);
  }
  expect(await Promise.all(asked)).toEqual([...paths, ...paths].map((path) => ({ path, status: 200 })));
});
