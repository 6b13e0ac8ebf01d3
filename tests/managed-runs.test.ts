import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../packages/db/src/connection/client.ts';
import { useTestDatabase } from '../packages/db/src/testing/index.ts';
import { type FakeServer, startFakeServer } from '../packages/loadgen/src/fake-server/fake-server.ts';
import { adminKey, startAt, type TestServer } from './support/server.ts';

/** Sent once to the service, which sends it only to the endpoint. Its characters differ in every encoding. */
const credential = 'sk-the+credential?/=&%-7f3a9cQ';
const database = useTestDatabase();
let server: TestServer;
let fake: FakeServer;
/** Deliveries to the webhook, with their signature headers. */
const messages: { body: string; headers: Record<string, string> }[] = [];
let receiver: Server;
let webhookSecret: string;
/** All responses and deliveries. */
const texts: string[] = [];
let run: { id: string; links: Record<string, string> };
let events: { id: string | null; event: string; data: Record<string, unknown> }[];

beforeAll(async () => {
  const place = { env: { DATABASE_URL: database.url }, remove: async () => {} };
  server = await startAt(place, {
    SAMPLE_DATA: 'false',
    ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
    SECRET_KEY: 'a-secret-key-of-this-test-0123',
  });
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    messages.push({ body, headers: request.headers as Record<string, string> });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  // It does not identify itself as simulated, as a real server would not, because the test is about its results.
  fake = await startFakeServer(
    {
      ...{ ttftMs: 30, itlMs: 2, slowdown: 0.05, slots: 8, model: 'meta-llama/Llama-3.1-8B-Instruct' },
      apiKey: credential,
      proofPath: '/.well-known/inferboard-proof',
    },
    { isSilent: true },
  );
});
afterAll(async () => {
  await server.stop();
  receiver.close();
  await fake.close();
});

async function ask(method: string, path: string, body?: unknown, key: string | null = adminKey) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  texts.push(text, JSON.stringify([...response.headers]));
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  // biome-ignore lint/suspicious/noExplicitAny: what it is, the expectations below say
  return { status: response.status, body: isJson ? (JSON.parse(text) as any) : null, text };
}

/** The frames of an event stream until its end. */
async function readEvents(path: string, headers: Record<string, string> = {}): Promise<typeof events> {
  const response = await fetch(`${server.url}${path}`, { headers });
  expect(response.status).toBe(200);
  const text = await response.text();
  texts.push(text);
  const field = (frame: string, name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1] ?? null;
  return text.split('\n\n').flatMap((frame) => {
    const [event, data] = [field(frame, 'event'), field(frame, 'data')];
    return event === null || data === null ? [] : [{ id: field(frame, 'id'), event, data: JSON.parse(data) }];
  });
}

test('an endpoint is registered, checked, verified and measured, and its events report progress', async () => {
  const registered = await ask('POST', '/v1/endpoints', {
    ...{ name: 'fake', base_url: `http://127.0.0.1:${fake.port}/v1`, api_key: credential },
    ...{ model: 'meta-llama/Llama-3.1-8B-Instruct', gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8' },
    ...{ engine: 'vllm', engine_version: '0.11.0' },
  });
  expect(registered.status, registered.text).toBe(201);
  const { id, proof } = registered.body;
  expect((await ask('POST', `/v1/endpoints/${id}/check`)).body).toMatchObject({ reachable: true, serves_model: true });
  expect((await ask('POST', `/v1/endpoints/${id}/prove`)).status).toBe(409);
  expect((await ask('POST', `/v1/endpoints/${id}/approve`)).status).toBe(200);
  expect(proof.token).toMatch(/.{20}/);

  const { port } = receiver.address() as AddressInfo;
  const hook = await ask('POST', '/v1/webhooks', { url: `http://127.0.0.1:${port}/hook`, events: ['run.ended'] });
  expect(hook.status, hook.text).toBe(201);
  webhookSecret = hook.body.secret;

  // The report's plan, scaled down: every point keeps its nominal load.
  const asked = await ask('POST', '/v1/runs', {
    endpoint_id: id,
    plan: [1, 2, 4, 8].flatMap((level) => [
      { scenario: 'chatbot', load: { mode: 'concurrency', level }, requests: Math.max(4, level), warmup: 0 },
      { scenario: 'chatbot', load: { mode: 'burst', level: 4 * level }, warmup: 0 },
    ]),
  });
  expect(asked.status, asked.text).toBe(201);
  run = asked.body;
  events = await readEvents(`/v1/runs/${run.id}/events`);
  expect(events.at(-1)).toMatchObject({ event: 'end', data: { state: 'processed' } });
  const points = events.filter(({ event }) => event === 'point');
  expect(points).toHaveLength(8);
  expect(events.filter(({ event }) => event === 'progress').length).toBeGreaterThan(2);
  const ids = events.flatMap((event) => (event.id === null ? [] : [Number(event.id)]));
  expect(ids).toEqual(ids.map((_, index) => index + 1));

  const resumed = await readEvents(`/v1/runs/${run.id}/events`, { 'last-event-id': String(ids.at(-4)) });
  expect(resumed.filter(({ id }) => id !== null).map(({ id }) => Number(id))).toEqual(ids.slice(-3));
});

test('the results are managed, link to the records, and appear in the report', async () => {
  const seen = (await ask('GET', `/v1/runs/${run.id}`, undefined, null)).body;
  expect(seen).toMatchObject({ state: 'processed', progress: { points_done: 8, points_total: 8 }, failure: null });
  const [submission] = seen.submissions;
  const stored = (await ask('GET', `/v1/submissions/${submission.id}`, undefined, null)).body;
  expect(stored.results).toHaveLength(8);
  expect(stored.measured_by).toBe('Measured by Inferboard; hardware as stated by its owner.');
  for (const result of stored.results) {
    expect(result).toMatchObject({ trust: 'managed', status: 'accepted', metrics: { requests_failed: 0 } });
    expect(result.metrics.ttft_ms_mean).toBeGreaterThan(25);
  }
  const artifact = await ask('GET', `/v1/submissions/${submission.id}/artifact`, undefined, null);
  expect(artifact.text).toContain('"itl_ms":[');

  const system = stored.results[0].system.id;
  const report = (await ask('GET', `/v1/systems/${system}/report`, undefined, null)).body;
  expect(report.peak.levels).toEqual([1, 2, 4, 8]);
  expect(report.burst.levels).toEqual([4, 8, 16, 32]);
  expect(report.headline.max_safe_queue.answer).toBeGreaterThan(1);
  const page = await ask('GET', `/systems/${system}`, undefined, null);
  expect(page.status).toBe(200);

  const live = await ask('GET', `/runs/${run.id}`, undefined, null);
  expect(live.status).toBe(200);
  for (const text of ['Done', '8 of 8 points', 'TTFT p50, ms', `/submissions/${submission.id}`])
    expect(live.text).toContain(text);
  const submissionPage = (await ask('GET', `/submissions/${submission.id}`, undefined, null)).text;
  expect(submissionPage).toContain(`/runs/${run.id}`);
  expect(submissionPage).toContain('measured by Inferboard; hardware as stated by its owner');
  expect((await ask('GET', `/runs/run_${'0'.repeat(32)}`, undefined, null)).status).toBe(404);
});

test('the webhook receives the signed end of the run', async () => {
  await expect.poll(() => messages.length).toBeGreaterThan(0);
  const [message] = messages;
  if (message === undefined) throw new Error('no message was delivered');
  expect(new Webhook(webhookSecret).verify(message.body, message.headers)).toMatchObject({
    type: 'run.ended',
    data: { run_id: run.id, state: 'processed', failure: null },
  });
  texts.push(message.body);
});

describe('the credential', () => {
  test('is not in the dump, logs, responses, events or metrics, in any encoding', async () => {
    await ask('GET', '/metrics', undefined, null);
    await ask('GET', '/v1/endpoints');
    const db = createDatabase(database.url, { poolSize: 2 });
    const tables = await db.sql<
      { name: string }[]
    >`select tablename as name from pg_tables where schemaname = 'public'`;
    let dump = '';
    for (const { name } of tables) {
      const rows = await db.sql<{ row: string }[]>`select to_jsonb(t)::text as row from ${db.sql(name)} t`;
      dump += rows.map(({ row }) => row).join('\n');
    }
    await db.close();
    const bytes = Buffer.from(credential);
    const forms = [
      ...[credential, JSON.stringify(credential).slice(1, -1)],
      ...[bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex'), bytes.toString('latin1')],
      ...[
        encodeURIComponent(credential),
        encodeURI(credential),
        new URLSearchParams({ x: credential }).toString().slice(2),
      ],
    ];
    const places = { dump, log: server.output.join('\n'), responses: texts.join('\n') };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(20);
      // The middle part: the neighbouring bytes do not change its encoding.
      for (const form of forms)
        expect(text.toLowerCase().includes(form.toLowerCase()), `${place}: ${form}`).toBe(false);
    }
    // In the Base64 of a longer text, it occurs at one of three shifts.
    for (const shift of [0, 1, 2]) {
      const inner = Buffer.concat([Buffer.alloc(shift), bytes])
        .toString('base64')
        .slice(4, -4);
      for (const [place, text] of Object.entries(places)) expect(text.includes(inner), place).toBe(false);
    }
  });

  test('was sent to the endpoint', () => {
    // The endpoint rejects other keys, and it responded.
    expect(fake.answers.length).toBeGreaterThan(80);
  });
});

test('a cancellation takes effect before the run would end', async () => {
  const { body } = await ask('GET', '/v1/endpoints');
  const asked = await ask('POST', '/v1/runs', {
    endpoint_id: body.data[0].id,
    plan: [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 4 }, requests: 200 }],
  });
  const { id } = asked.body;
  const before = fake.answers.length;
  await expect.poll(() => fake.answers.length).toBeGreaterThanOrEqual(before + 20);
  expect((await ask('POST', `/v1/runs/${id}/cancel`)).status).toBe(202);
  await expect.poll(async () => (await ask('GET', `/v1/runs/${id}`)).body.state).toBe('canceled');
  expect(fake.answers.length).toBeLessThan(before + 200);
});
