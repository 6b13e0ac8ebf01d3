import { builtInPrices, readPriceList, toPriceFile } from '@inferboard/core/prices/price-list';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseEnv } from '../startup/env.ts';
import { type Service, startService } from '../startup/service.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { createPriceReader } from './prices-in-use.ts';

// An admin replaces the price list, and every board by cost uses the new prices.

interface Fault {
  code: string;
  pointer: string;
  message: string;
  hint?: string;
}

interface Prices {
  as_of: string;
  source: { title: string; url: string };
  tiers: Record<string, string>;
  default_tier: string;
  gpus: Record<string, Record<string, number | null>>;
  origin: string;
  set_at: string | null;
  errors?: Fault[];
}

const ours = {
  as_of: '2026-11-01',
  source: { title: 'Our contract', url: 'https://example.com/prices' },
  tiers: { ours: 'What we pay', list: 'What others pay' },
  default_tier: 'ours',
  gpus: { h100: { ours: 1.5, list: 3 }, mi355x: { ours: 4 } },
};

const app = useTestApp();
const byCost = '/v1/leaderboard?rank_by=usd_per_mtok_output';

const change = (method: 'PUT' | 'DELETE', body?: unknown, headers: Record<string, string> = {}) =>
  app.request('/v1/admin/prices', {
    method,
    headers: {
      authorization: `Bearer ${adminKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const report = (gpu: string, rate: number) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu, gpu_count: 1, engine: 'vllm' },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 64 }, metrics: { output_tok_s: rate } }],
  });

const pricesOf = (board: { data: { price: { gpu: string; usd_per_hour: number } }[] }) =>
  board.data.map(({ price }) => [price.gpu, price.usd_per_hour]);

beforeAll(async () => {
  for (const [gpu, rate] of [
    ['h100', 1000],
    ['mi355x', 2000],
  ] as const)
    expect((await app.submit(report(gpu, rate), {}, adminKey)).status).toBe(201);
});

afterEach(async () => {
  expect((await change('DELETE')).status).toBe(200);
});

it('the list in use has its date, source, tiers and origin', async () => {
  expect(await app.get<Prices>('/v1/prices')).toEqual({
    ...toPriceFile(builtInPrices),
    ...{ origin: 'built_in', set_at: null },
  });
});

it('a list from the configured file has the origin "file"', async () => {
  const { list, origin } = await createPriceReader(readPriceList(ours), () => {})(app.deps.database.db);
  expect([list.asOf, origin]).toEqual(['2026-11-01', 'file']);
});

it('adding and removing a list takes effect immediately', async () => {
  const before = await app.get<{ data: never[] }>(byCost);
  expect(pricesOf(before)).toEqual([
    ['mi355x', 2.1],
    ['h100', 1.78],
  ]);
  const replaced = await change('PUT', ours);
  expect(replaced.status).toBe(200);
  const now = (await replaced.json()) as Prices;
  expect(now).toEqual({ ...ours, origin: 'admin', set_at: expect.stringMatching(/^\d{4}-.*Z$/) });
  // Tiers keep the order of the list.
  expect(Object.keys(now.tiers)).toEqual(['ours', 'list']);
  expect(await app.get<Prices>('/v1/prices')).toEqual(now);
  const board = await app.get<{ data: never[]; prices: object }>(byCost);
  expect(pricesOf(board)).toEqual([
    ['h100', 1.5],
    ['mi355x', 4],
  ]);
  expect(board.prices).toMatchObject({ tier: 'ours', as_of: '2026-11-01', source: ours.source });
  expect(pricesOf(await app.get(`${byCost}&price_tier=list`))).toEqual([['h100', 3]]);
  const best = await app.get<{ data: never[] }>('/v1/best?q=cheapest+gpu+for+llama+3.1+8b');
  expect(pricesOf(best)[0]).toEqual(['h100', 1.5]);
  const removed = await change('DELETE');
  expect(await removed.json()).toMatchObject({ origin: 'built_in' });
  expect(await app.get(byCost)).toEqual(before);
});

it('a GET response is a valid PUT body', async () => {
  const { origin: _, set_at: __, ...list } = await app.get<Prices>('/v1/prices');
  const again = await change('PUT', list);
  expect(again.status).toBe(200);
  expect(await again.json()).toMatchObject({ ...list, origin: 'admin' });
});

it('earlier lists are kept with their author, and each change is in the audit log', async () => {
  const { sql } = app.deps.database;
  const rows = () => sql<{ content: Prices | null; account_id: string }[]>`
    select content, account_id from price_lists order by id`;
  const acts = () => sql<{ act: string }[]>`select act from audit_log where act like 'prices_%' order by id`;
  const [stored, noted] = [(await rows()).length, (await acts()).length];
  await change('PUT', ours);
  await change('PUT', { ...ours, as_of: '2026-11-02' });
  await change('DELETE');
  // A second removal: the list is already removed.
  await change('DELETE');
  const added = (await rows()).slice(stored);
  expect(added.map(({ content }) => content?.as_of ?? null)).toEqual(['2026-11-01', '2026-11-02', null]);
  expect(new Set(added.map(({ account_id }) => account_id)).size).toBe(1);
  expect((await acts()).slice(noted).map(({ act }) => act)).toEqual([
    ...['prices_replaced', 'prices_replaced', 'prices_removed'],
  ]);
});

it('lists all errors of a list at once', async () => {
  const { as_of: _, ...undated } = ours;
  const response = await change('PUT', {
    ...undated,
    gpus: { h1000: { ours: 1 }, h100: { ours: -2 } },
    prices: 1,
  });
  expect(response.status).toBe(422);
  const { errors = [] } = (await response.json()) as Prices;
  expect(Object.fromEntries(errors.map(({ pointer, message }) => [pointer, message]))).toEqual({
    '/as_of': expect.stringContaining('as_of'),
    '/gpus/h100/ours': 'gpus/h100/ours must be above 0',
    '/gpus/h1000': 'Unknown GPU "h1000": it is not in the catalogue and in no result.',
    '/prices': 'Unknown field "prices".',
  });
  expect(await app.get<Prices>('/v1/prices')).toMatchObject({ origin: 'built_in' });
});

it.each([
  [{ ...ours, default_tier: 'free' }, '/default_tier'],
  [{ ...ours, gpus: { h100: { spot: 1 } } }, '/gpus/h100/spot'],
  [{ ...ours, gpus: { h100: { ours: 1 }, H100: { ours: 2 } } }, '/gpus/H100'],
  [{ ...ours, gpus: { 'a/b': { ours: 1 } } }, '/gpus/a~1b'],
  [{ ...ours, as_of: '2026-02-30' }, '/as_of'],
  [{ ...ours, source: { title: 'x', url: 'javascript:alert(1)' } }, '/source/url'],
  [[], ''],
])('rejects %j', async (body, pointer) => {
  const response = await change('PUT', body);
  expect(response.status).toBe(422);
  expect(((await response.json()) as Prices).errors).toContainEqual(expect.objectContaining({ pointer }));
});

it('is replaced only if it matches If-Match', async () => {
  const tag = (await app.request('/v1/prices')).headers.get('etag') ?? '';
  expect((await change('PUT', ours, { 'if-match': tag })).status).toBe(200);
  expect((await change('PUT', ours, { 'if-match': tag })).status).toBe(412);
  expect((await change('DELETE', undefined, { 'if-match': tag })).status).toBe(412);
});

it('requires an admin', async () => {
  const key = await app.createAccount('lab');
  const as = (authorization: string) => change('PUT', ours, { authorization });
  expect((await as(`Bearer ${key}`)).status).toBe(403);
  expect((await change('DELETE', undefined, { authorization: `Bearer ${key}` })).status).toBe(403);
  expect((await app.request('/v1/admin/prices', { method: 'PUT', body: '{}' })).status).toBe(401);
  expect((await app.request('/v1/admin/prices', { method: 'DELETE' })).status).toBe(401);
});

// The catalogue of a later release may merge two names: boards must still work.
it('uses the configured list if this release cannot read the stored one', async () => {
  const { db, sql } = app.deps.database;
  await change('PUT', ours);
  const broken = { ...ours, gpus: { h100: { ours: 1 }, H100: { ours: 2 } } };
  await sql`insert into price_lists (content, account_id)
    select ${JSON.stringify(broken)}::text::json, account_id from price_lists limit 1`;
  const logged: unknown[] = [];
  const read = createPriceReader(builtInPrices, (...line) => logged.push(line));
  expect(await read(db)).toMatchObject({ origin: 'built_in', list: builtInPrices });
  expect(await read(db)).toMatchObject({ origin: 'built_in' });
  expect(logged).toEqual([
    ['error', expect.stringContaining('cannot be read'), { faults: ['gpus.H100: is the same GPU as "h100"'] }],
  ]);
});

describe('several services with one database', () => {
  const place = useTestDatabase();
  const services: Service[] = [];
  beforeAll(async () => {
    const settings = { DATABASE_URL: place.url, PORT: '0', ADMIN_KEY: adminKey, SAMPLE_DATA: 'false', ROLES: 'api' };
    const log = (level: string, message: string) => level === 'error' && console.error(message);
    for (const _ of [1, 2]) services.push(await startService(parseEnv(settings), log));
  });
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  const ask = (which: number, path: string, init: RequestInit = {}) =>
    fetch(`${services[which]?.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${adminKey}`, ...init.headers },
    });
  /** Without a key, so that the response is cached. */
  const read = async <T>(which: number, path: string) =>
    (await (await fetch(`${services[which]?.url}${path}`)).json()) as T;

  it('use the same list after the response of a change, also in cached responses', async () => {
    const sent = await ask(0, '/v1/submissions', { method: 'POST', body: report('h100', 1000) });
    expect(sent.status).toBe(201);
    for (const [usd, by] of [
      [1.25, 0],
      [2.5, 1],
      [3.75, 0],
    ] as const) {
      // Both processes cache a response with the list that is about to be replaced.
      for (const which of [0, 1])
        for (const _ of [1, 2]) expect((await read<Prices>(which, '/v1/prices')).gpus.h100).toBeDefined();
      for (const which of [0, 1]) await read(which, byCost);
      const body = JSON.stringify({ ...ours, gpus: { h100: { ours: usd } } });
      const headers = { 'content-type': 'application/json' };
      expect((await ask(by, '/v1/admin/prices', { method: 'PUT', body, headers })).status).toBe(200);
      for (const which of [1 - by, by]) {
        expect((await read<Prices>(which, '/v1/prices')).gpus).toEqual({ h100: { ours: usd } });
        expect(pricesOf(await read(which, byCost))).toEqual([['h100', usd]]);
      }
    }
    expect((await ask(1, '/v1/admin/prices', { method: 'DELETE' })).status).toBe(200);
    for (const which of [0, 1]) expect((await read<Prices>(which, '/v1/prices')).origin).toBe('built_in');
    for (const which of [0, 1]) expect(pricesOf(await read(which, byCost))).toEqual([['h100', 1.78]]);
  });
});
