import { expect, test } from 'vitest';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';
import { createTestWorker, shortPlan } from '../testing/runs.ts';

const app = useTestApp();
const worker = createTestWorker(app);

interface Run {
  id: string;
  state: string;
  retry: Record<string, unknown> | null;
}

const call = (method: string, path: string, body?: unknown) =>
  app.request(path, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const message = 'The request to the endpoint failed: it refused the connection.';
const failedOnce = { seconds: 5, message, attempts: { failed: 1, max: 6 } };

async function startRun(): Promise<string> {
  const endpoint = { name: `node ${Math.random()}`, base_url: 'https://llm.example.com/v1', model: 'tiny' };
  const { id } = await answerOf(await call('POST', '/v1/endpoints', endpoint));
  return (await answerOf(await call('POST', '/v1/runs', { endpoint_id: id, plan: shortPlan }))).id;
}
const retryOf = async (id: string) => (await app.get<Run>(`/v1/runs/${id}`)).retry;

test('a run states why it is retried, until it has measured a point', async () => {
  const id = await startRun();
  expect(await retryOf(id)).toBeNull();
  await worker.postpone(await worker.claim(id), failedOnce);
  const waiting = await retryOf(id);
  expect(waiting).toEqual({
    ...{ message, attempts_failed: 1, attempts_max: 6 },
    ...{ failed_at: expect.stringMatching(/Z$/), next_attempt_at: expect.stringMatching(/Z$/) },
  });
  const { data } = (await (await call('GET', '/v1/runs')).json()) as { data: Run[] };
  expect(data.find((run) => run.id === id)?.retry).toEqual(waiting);
  await app.deps.database.sql`update runs set not_before = now() where id = ${id}`;
  const lease = await worker.claim(id);
  expect(await retryOf(id)).toEqual({ ...waiting, next_attempt_at: null });
  await worker.start(lease);
  expect(await retryOf(id)).toEqual({ ...waiting, next_attempt_at: null });
  await worker.measure(lease);
  expect(await retryOf(id)).toBeNull();
});

test('a run that has ended states its failure instead', async () => {
  const id = await startRun();
  await worker.postpone(await worker.claim(id), failedOnce);
  await app.deps.database.sql`update runs set not_before = now() where id = ${id}`;
  await worker.end(await worker.claim(id), { code: 'endpoint_unreachable', message });
  expect(await app.get<Run>(`/v1/runs/${id}`)).toMatchObject({ state: 'failed', retry: null, failure: { message } });
});
