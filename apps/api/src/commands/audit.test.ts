import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { builtCommand } from '../testing/built-command.ts';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';

// Admin actions are recorded, and the records cannot be changed or deleted.

const app = useTestApp({ allowCidrs: ['127.0.0.0/8'] });
const run = promisify(execFile);
const command = builtCommand('audit');
let key: string;

beforeAll(async () => {
  key = await app.createAccount('lab');
});

const entries = () =>
  app.deps.database.sql<
    { act: string; target: string; account_id: string | null; request_id: string | null; detail: object }[]
  >`select act, target, account_id, request_id, detail from audit_log order by id`;

const ask = (method: string, path: string, by: string, body?: unknown) =>
  app.request(path, {
    method,
    headers: { authorization: `Bearer ${by}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const artifact = (tokS: number, gpu = 'h100-sxm') =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'Llama-3.1-8B-Instruct', gpu, quantization: 'bf16' },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: tokS } }],
  });

async function lastAfter(work: () => Promise<Response>, status: number) {
  const before = (await entries()).length;
  const response = await work();
  expect(response.status, await response.clone().text()).toBe(status);
  const after = await entries();
  expect(after).toHaveLength(before + 1);
  return { entry: after.at(-1), requestId: response.headers.get('x-request-id') };
}

test('the log has the first admin key and every account, with the request that created it', async () => {
  const [first, second] = await entries();
  expect(first).toMatchObject({
    act: 'key_created',
    account_id: null,
    detail: { scopes: ['admin', 'submit', 'run', 'keys'] },
  });
  expect(second).toMatchObject({ act: 'account_created', target: expect.stringMatching(/^acc_/) });
  expect(second?.account_id).toMatch(/^acc_/);
});

test('each action with an admin key is one entry with the id of its request', async () => {
  const held = await answerOf(await app.submit(artifact(800, 'a gpu nobody knows'), {}, key));
  const reviewed = await lastAfter(
    () => ask('POST', `/v1/submissions/${held.id}/review`, adminKey, { decision: 'keep', note: 'Which GPU is it?' }),
    200,
  );
  expect(reviewed.entry).toMatchObject({
    ...{ act: 'submission_reviewed', target: held.id, request_id: reviewed.requestId },
    detail: { decision: 'keep', results: 1 },
  });
  const others = await answerOf(await app.submit(artifact(801), {}, key));
  const retracted = await lastAfter(
    () => ask('POST', `/v1/submissions/${others.id}/retract`, adminKey, { reason: 'It was another machine.' }),
    200,
  );
  expect(retracted.entry).toMatchObject({ act: 'submission_retracted', target: others.id, detail: { own: false } });
  const endpoint = (await (
    await ask('POST', '/v1/endpoints', key, {
      ...{ name: 'e', base_url: 'http://127.0.0.1:9999/v1', model: 'Llama-3.1-8B-Instruct' },
      ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'bf16' },
    })
  ).json()) as { id: string };
  const approved = await lastAfter(() => ask('POST', `/v1/endpoints/${endpoint.id}/approve`, adminKey), 200);
  expect(approved.entry).toMatchObject({ act: 'endpoint_approved', target: endpoint.id });
  const removed = await lastAfter(() => ask('DELETE', `/v1/endpoints/${endpoint.id}`, adminKey), 204);
  expect(removed.entry).toMatchObject({ act: 'endpoint_removed', target: endpoint.id });
  const made = await lastAfter(() => ask('POST', '/v1/keys', adminKey, { scopes: ['submit'] }), 201);
  expect(made.entry).toMatchObject({ act: 'key_created', detail: { scopes: ['submit'] } });
  const revoked = await lastAfter(() => ask('DELETE', `/v1/keys/${made.entry?.target}`, adminKey), 204);
  expect(revoked.entry).toMatchObject({ act: 'key_revoked', target: made.entry?.target });
});

test('does not record actions on own data, or rejected ones', async () => {
  const before = (await entries()).length;
  const own = await answerOf(await app.submit(artifact(802), {}, key));
  expect((await ask('POST', `/v1/submissions/${own.id}/retract`, key, { reason: 'A mistake.' })).status).toBe(200);
  expect((await ask('POST', `/v1/submissions/${own.id}/retract`, adminKey, { reason: 'Again.' })).status).toBe(409);
  expect((await ask('DELETE', '/v1/keys/key_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', adminKey)).status).toBe(404);
  expect((await ask('POST', '/v1/accounts', adminKey, { name: 'lab' })).status).toBe(409);
  expect(await entries()).toHaveLength(before);
});

test('stores an action and its entry together, or neither', async () => {
  const { sql } = app.deps.database;
  const kept = await answerOf(await app.submit(artifact(803), {}, key));
  await sql`alter table audit_log add constraint broken check (act <> 'submission_retracted') not valid`;
  try {
    expect((await ask('POST', `/v1/submissions/${kept.id}/retract`, adminKey, { reason: 'No.' })).status).toBe(500);
    const { status } = (await (await app.request(`/v1/submissions/${kept.id}`)).json()) as { status: string };
    expect(status).toBe('accepted');
  } finally {
    await sql`alter table audit_log drop constraint broken`;
  }
});

test.each(['update audit_log set act = $$nothing$$', 'delete from audit_log', 'truncate audit_log'])(
  'the database rejects: %s',
  async (statement) => {
    await expect(app.deps.database.sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
  },
);

test('the command prints the log as JSON Lines, without keys', async () => {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: app.databaseUrl };
  const { stdout } = await run(process.execPath, [command, '--act', 'account_created'], { env });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ act: 'account_created', by: { name: 'admin' } });
  expect(lines[0].at).toMatch(/^\d{4}-.*Z$/);
  expect(JSON.stringify(await entries())).not.toContain(key);
  await expect(run(process.execPath, [command, '--act', 'nothing'], { env })).rejects.toMatchObject({ code: 1 });
});
