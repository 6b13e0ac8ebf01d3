import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ allowCidrs: ['127.0.0.1/32', '::ffff:127.0.0.1/128'] });

let [owner, other] = ['', ''];
/** A new server for each test, because requests to an origin stay counted. */
let server: Server;
let origin: string;
let asked = 0;
let [underWay, mostUnderWay] = [0, 0];
let answer: RequestListener;

beforeAll(async () => {
  owner = await app.createAccount('owner');
  other = await app.createAccount('other');
});
beforeEach(async () => {
  [asked, underWay, mostUnderWay] = [0, 0, 0];
  answer = (_, response) => response.writeHead(404).end();
  server = createServer((request, response) => {
    asked += 1;
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const post = (path: string, key: string, body?: unknown, at: Pick<typeof app, 'request'> = app) =>
  at.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

let count = 0;
interface Made {
  id: string;
  code: string;
  detail: string;
  proof: { token: string };
  verified: object | null;
}
async function register(key = owner, base = origin): Promise<Made> {
  count += 1;
  const response = await post('/v1/endpoints', key, { name: `node ${count}`, base_url: base, model: 'tiny' });
  expect(response.status).toBe(201);
  return (await response.json()) as Made;
}
const check = (id: string, key = owner, at?: Pick<typeof app, 'request'>) =>
  post(`/v1/endpoints/${id}/check`, key, undefined, at);
const prove = (id: string, key = owner) => post(`/v1/endpoints/${id}/prove`, key);
const codeOf = async (response: Response) => ((await response.json()) as Made).code;

/** Uses up the budget for today. */
async function useUp(id: string, key = owner): Promise<void> {
  for (let at = 0; at < 50; at += 1) await check(id, key);
}

test('checks and proofs of all endpoints at an origin share fifty requests a day', async () => {
  const endpoints = await Promise.all([...Array(10)].map(() => register()));
  const statuses: number[] = [];
  for (let at = 0; at < 120; at += 3) {
    const { id } = endpoints[at % endpoints.length] ?? expect.fail();
    const responses = await Promise.all([check(id), prove(id), check(id)]);
    statuses.push(...responses.map(({ status }) => status));
  }
  expect(asked).toBe(50);
  expect(statuses.filter((status) => status === 429)).toHaveLength(70);
  const refused = await check(endpoints[0]?.id ?? '');
  expect(refused.status).toBe(429);
  const retryAfterS = Number(refused.headers.get('retry-after'));
  expect(retryAfterS).toBeGreaterThan(0);
  expect(retryAfterS).toBeLessThanOrEqual(86_400);
  expect(await refused.json()).toMatchObject({
    code: 'target_budget_spent',
    detail: expect.stringMatching(new RegExp(`^${origin} has received 50 requests today.*00:00 UTC, in \\d+ s`)),
  });
});

test('at most four requests run at a time, across two processes and two accounts', async () => {
  const [mine, theirs] = [await register(), await register(other)];
  const second = createApp(app.deps);
  const held: (() => void)[] = [];
  answer = (_, response) => held.push(() => response.writeHead(404).end());
  const asking = [...Array(20)].map((_, at) =>
    at % 2 === 0 ? check(mine.id) : check(theirs.id, other, { request: async (...given) => second.request(...given) }),
  );
  let over = 0;
  for (const one of asking)
    void one.then(() => {
      over += 1;
    });
  await expect.poll(() => over).toBe(16);
  await expect.poll(() => held.length).toBe(4);
  for (const end of held) end();
  const responses = await Promise.all(asking);
  expect(mostUnderWay).toBe(4);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(16);
  expect(refused[0]?.headers.get('retry-after')).toBe('5');
  expect(await codeOf(refused[0] ?? expect.fail())).toBe('target_busy');
  answer = (_, response) => response.writeHead(404).end();
  expect((await check(mine.id)).status).toBe(200);
});

test('other accounts, paths and spellings of the address share the limits of a server', async () => {
  await useUp((await register()).id);
  const elsewhere = await register(other, `${origin}/another/v1`);
  expect(await codeOf(await check(elsewhere.id, other))).toBe('target_budget_spent');
  const spelled = await register(other, origin.replace('127.0.0.1', '[::ffff:127.0.0.1]'));
  expect(await codeOf(await check(spelled.id, other))).toBe('target_budget_spent');
  expect(asked).toBe(50);
});

test('a verification applies only to the endpoints of its account at that origin', async () => {
  const [first, second, theirs] = [await register(), await register(), await register(other)];
  answer = (_, response) => response.end(first.proof.token);
  expect((await prove(first.id)).status).toBe(200);
  await useUp(theirs.id, other);
  expect((await check(theirs.id, other)).status).toBe(429);
  for (const { id } of [first, second, await register()]) expect((await check(id)).status).toBe(200);
  expect((await check((await register(other)).id, other)).status).toBe(429);
});

test('an approved endpoint has a higher limit, and other endpoints do not', async () => {
  const [{ id }, { id: beside }] = [await register(), await register()];
  await useUp(id);
  expect((await check(id)).status).toBe(429);
  expect((await post(`/v1/endpoints/${id}/approve`, adminKey)).status).toBe(200);
  expect((await check(id)).status).toBe(200);
  expect((await check(beside)).status).toBe(429);
});

test('a test of a webhook is rejected if the daily limit of its server is used up', async () => {
  const made = await post('/v1/webhooks', owner, { url: `${origin}/hook`, events: ['run.ended'] });
  const { id } = (await made.json()) as Made;
  await useUp((await register()).id);
  const refused = await post(`/v1/webhooks/${id}/test`, owner);
  expect([refused.status, await codeOf(refused)]).toEqual([429, 'target_budget_spent']);
});

test('a run is planned within the rest of the daily limit of all accounts', async () => {
  const { id } = await register();
  const theirs = await register(other);
  for (let at = 0; at < 28; at += 1) await check(theirs.id, other);
  const plan = [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, requests: 4, warmup: 0 }];
  const body = { endpoint_id: id, plan };
  const run = await post('/v1/runs', owner, body);
  // 22 are left, of which 20 are reserved for counting prompt tokens.
  expect(((await run.json()) as { progress: object }).progress).toMatchObject({ requests_total: 2 });
  await check(theirs.id, other);
  await check(theirs.id, other);
  const refused = await post('/v1/runs', owner, body);
  expect([refused.status, await codeOf(refused)]).toEqual([409, 'plan_empty']);
});
