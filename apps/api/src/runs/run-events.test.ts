import { once } from 'node:events';
import { createServer, type IncomingMessage, get as request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import { addToTimeline, startTimeline } from '@inferboard/core/observed/timeline';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import type { AppContext } from '../deps.ts';
import { useTestApp } from '../testing/index.ts';
import { createTestWorker, liveFigures, shortPlan } from '../testing/runs.ts';
import { runEventRoutes, streamsMax, streamsOfAddressMax } from './run-events-routes.ts';

const app = useTestApp({ trustedProxies: ['127.0.0.1/32'] });
const worker = createTestWorker(app);
let server: Server;
let url: string;
let isDraining = false;
let owner = '';
let endpointId = '';

interface Event {
  id?: string;
  event?: string;
  data?: Record<string, unknown>;
  retry?: string;
  comment?: string;
}

const parse = (block: string): Event => {
  const fields = block.split('\n').map((line) => {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    return [name === '' ? 'comment' : name, name === 'data' ? JSON.parse(value) : value];
  });
  return Object.fromEntries(fields) as Event;
};

/** Reads a stream as it arrives. */
class Watcher {
  readonly events: Event[] = [];
  isOver = false;
  #text = '';
  readonly response: IncomingMessage;
  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const blocks = (this.#text + chunk).split('\n\n');
      this.#text = blocks.pop() ?? '';
      this.events.push(...blocks.map(parse));
    });
    response.on('error', () => {});
    response.on('close', () => {
      this.isOver = true;
    });
  }
  /** Waits for the first event that matches. */
  async next(fits: (event: Event) => boolean): Promise<Event> {
    await expect.poll(() => this.events.some(fits)).toBe(true);
    return this.events.find(fits) as Event;
  }
  over = () => expect.poll(() => this.isOver).toBe(true);
}

async function watch(id: string, headers: Record<string, string> = {}, base = url): Promise<Watcher> {
  const [response] = (await once(request(`${base}/v1/runs/${id}/events`, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  return new Watcher(response);
}

/** Posts a body; returns the new id. */
async function post(path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/json' };
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await response.json()) as { id: string }).id;
}

let count = 0;
async function start(): Promise<string> {
  // A separate endpoint for each run: an unfinished run must not block others from being claimed.
  count += 1;
  const endpoint = { name: `node ${count}`, base_url: 'https://llm.example.com/v1', model: 'tiny' };
  endpointId = await post('/v1/endpoints', endpoint);
  return post('/v1/runs', { endpoint_id: endpointId, plan: shortPlan, seed: 1 });
}

const listen = async (fetch: (request: Request) => Response | Promise<Response>): Promise<Server> => {
  const made = createServer(getRequestListener(fetch));
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
};
const addressOf = (of: Server) => `http://127.0.0.1:${(of.address() as AddressInfo).port}`;

beforeAll(async () => {
  const whole = createApp({ ...app.deps, isDraining: () => isDraining });
  server = await listen(whole.fetch);
  url = addressOf(server);
  owner = await app.createAccount('watcher');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  isDraining = false;
});

/** Executes a run from start to end. */
async function measure(id: string): Promise<void> {
  const lease = await worker.claim(id);
  await worker.start(lease);
  await worker.measure(lease);
  await worker.measure(lease);
  await worker.end(lease);
}

const kinds = ({ events }: Watcher) => events.map(({ event }) => event).filter((event) => event !== undefined);
const ordinals = ({ events }: Watcher) => events.map(({ id }) => id).filter((id) => id !== undefined);

test('streams the events of a run until its end', async () => {
  const id = await start();
  const watcher = await watch(id, { 'accept-encoding': 'gzip, br' });
  expect(watcher.response.statusCode).toBe(200);
  expect(watcher.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  expect(watcher.response.headers).not.toHaveProperty('content-encoding');
  expect(watcher.response.headers).not.toHaveProperty('etag');
  expect((await watcher.next(({ retry }) => retry !== undefined)).retry).toBe('2000');
  await watcher.next(({ event }) => event === 'progress');

  const lease = await worker.claim(id);
  await watcher.next(({ data }) => data?.state === 'claimed');
  await worker.start(lease);
  await worker.measure(lease);
  const point = await watcher.next(({ event }) => event === 'point');
  expect(point).toMatchObject({ id: '4', data: { ordinal: 0, key: 'chatbot/concurrency:1/1', output_tok_s: 80.5 } });
  expect(point.data?.at).toMatch(/Z$/);
  const progress = await watcher.next(({ event, data }) => event === 'progress' && data?.points_done === 1);
  expect(progress.id).toBeUndefined();
  expect(progress.data).toMatchObject({ points_total: 2, requests_done: 4, requests_total: 10 });

  await worker.measure(lease);
  await worker.end(lease);
  await watcher.over();
  expect(ordinals(watcher)).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(kinds(watcher).at(-1)).toBe('end');
  expect(watcher.events.at(-1)?.data).toMatchObject({ state: 'processed', failure: null });
});

test('sends changed figures of the current point, and adds them to the run', async () => {
  const id = await start();
  const watcher = await watch(id);
  const lease = await worker.claim(id);
  const read = async () =>
    (await (await app.request(`/v1/runs/${id}`)).json()) as { live: unknown; timeline: { series: unknown[] } | null };
  // Of an earlier attempt.
  await worker.show(lease, liveFigures);
  expect(await read()).toMatchObject({ live: null, timeline: null });
  await worker.start(lease);
  expect(await read()).toMatchObject({ live: null });
  await worker.show(lease, liveFigures);
  const live = await watcher.next(({ event }) => event === 'live');
  expect(live.id).toBeUndefined();
  expect(live.data).toEqual(liveFigures);
  expect(await read()).toMatchObject({ live: liveFigures });

  await worker.show(lease, { ...liveFigures, in_flight: 7 });
  await watcher.next(({ data }) => data?.in_flight === 7);
  const startedUnixMs = Date.parse('2026-01-15T09:30:00Z');
  const timeline = addToTimeline(startTimeline(startedUnixMs), {
    startedUnixMs,
    requests: [{ sentS: 0, ttftMs: 50, gapsMs: [10], outputTokens: 2, error: null }],
    samples: [{ unixMs: startedUnixMs + 100, values: { running: 1, kv_cache_share: 0.02 } }],
  });
  await worker.measure(lease, timeline);
  await worker.measure(lease);
  await worker.end(lease);
  await watcher.over();
  expect(kinds(watcher).filter((kind) => kind === 'live')).toHaveLength(2);
  expect(await read()).toMatchObject({
    live: null,
    timeline: {
      ...{ started_at: '2026-01-15T09:30:00.000Z', bin_s: 0.5 },
      series: [
        { name: 'output_tok_s', unit: 'tok/s', n: 1, values: [4] },
        { name: 'ttft_ms', unit: 'ms', n: 1, values: [50] },
        { name: 'running', unit: 'count', n: 1, values: [1] },
        { name: 'kv_cache_share', unit: 'share', n: 1, values: [0.02] },
      ],
    },
  });
});

test('continues after the last event of a reconnecting client', async () => {
  const id = await start();
  await measure(id);
  const whole = await watch(id);
  await whole.over();
  expect(ordinals(whole)).toEqual(['1', '2', '3', '4', '5', '6']);
  const rest = await watch(id, { 'last-event-id': '4' });
  await rest.over();
  expect(ordinals(rest)).toEqual(['5', '6']);
  // Otherwise a browser would reconnect forever.
  expect((await watch(id, { 'last-event-id': '6' })).response.statusCode).toBe(204);
});

test.each(['7', '-1', 'x', '1.5', '99999999999', ''])('rejects %j, which is not an event of the run', async (value) => {
  const id = await start();
  await measure(id);
  const response = await app.request(`/v1/runs/${id}/events`, { headers: { 'last-event-id': value } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'event_id_invalid',
    errors: [{ parameter: 'Last-Event-ID', hint: expect.stringContaining('omit the header') }],
  });
});

test('has no events for an unknown run', async () => {
  for (const id of ['run_0', 'nonsense', endpointId])
    expect((await app.request(`/v1/runs/${id}/events`)).status).toBe(404);
});

test('responds to HEAD without waiting', async () => {
  const id = await start();
  const response = await fetch(`${url}/v1/runs/${id}/events`, { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(await response.text()).toBe('');
});

test('ends a stream with the process', async () => {
  const watcher = await watch(await start());
  await watcher.next(({ event }) => event === 'progress');
  isDraining = true;
  await watcher.over();
  expect(kinds(watcher)).not.toContain('end');
});

test('sends a comment after a pause, and unchanged values once', async () => {
  const routes = runEventRoutes(app.deps, { pollMs: 5, silenceMs: 20 });
  const other = await listen(new OpenAPIHono<AppContext>().route('/', routes).fetch);
  const watcher = await watch(await start(), {}, addressOf(other));
  await expect.poll(() => watcher.events.filter(({ comment }) => comment !== undefined).length).toBeGreaterThan(2);
  expect(kinds(watcher)).toEqual(['state', 'progress']);
  watcher.response.destroy();
  other.closeAllConnections();
  other.close();
});

/** Client addresses reported by a proxy, which is the only trusted peer here. */
const from = (address: string) => ({ 'x-forwarded-for': address });

// Each stream queries the database twice a second.
test('limits open streams, and a closed stream frees its place', async () => {
  const id = await start();
  const watchers = await Promise.all(
    Array.from({ length: streamsMax }, (_, at) => watch(id, from(`192.0.2.${Math.floor(at / streamsOfAddressMax)}`))),
  );
  expect(watchers.every(({ response }) => response.statusCode === 200)).toBe(true);
  const refused = await fetch(`${url}/v1/runs/${id}/events`, { headers: from('198.51.100.1') });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refused.json()).toMatchObject({ code: 'streams_too_many' });
  for (const { response } of watchers) response.destroy();
  await expect.poll(async () => (await fetch(`${url}/v1/runs/${id}/events`, { method: 'HEAD' })).status).toBe(200);
});

test('limits an address to eight streams, regardless of its spelling', async () => {
  const id = await start();
  const watchers = await Promise.all(
    Array.from({ length: streamsOfAddressMax }, (_, at) => watch(id, from(`2001:db8:1:2:${at}::1`))),
  );
  expect(watchers.every(({ response }) => response.statusCode === 200)).toBe(true);
  const ask = (address: string) => fetch(`${url}/v1/runs/${id}/events`, { method: 'HEAD', headers: from(address) });
  const refused = await fetch(`${url}/v1/runs/${id}/events`, { headers: from('2001:db8:1:2:ffff::1') });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await refused.json()).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('8 streams from your IP address are open'),
  });
  expect((await ask('2001:db8:1:3::1')).status).toBe(200);
  watchers[0]?.response.destroy();
  await expect.poll(async () => (await ask('2001:db8:1:2::9')).status, { timeout: 10_000 }).toBe(200);
  for (const { response } of watchers) response.destroy();
});
