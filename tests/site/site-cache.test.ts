import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../packages/db/src/testing/index.ts';
import { nativeReport } from '../support/hostile.ts';
import { adminKey, startAt, type TestServer } from '../support/server.ts';

/** Two services on one database: one that caches pages and one that renders every request. */
const database = useTestDatabase();
let keeping: TestServer;
let bare: TestServer;

beforeAll(async () => {
  const place = { env: { DATABASE_URL: database.url }, remove: async () => {} };
  const settings = { ROLES: 'api,site', PUBLIC_URL: 'https://inferboard.example', SECRET_KEY: 'of the test alone' };
  keeping = await startAt(place, settings);
  bare = await startAt(place, { ...settings, CACHE_MB: '0', SAMPLE_DATA: 'false' });
});
afterAll(async () => {
  await keeping?.stop();
  await bare?.stop();
});

const post = async (path: string, body: string) => {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${bare.url}${path}`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string; results: { system: { id: string } }[] };
};
const submit = (version: string, output_tok_s: number) =>
  post(
    '/v1/submissions',
    nativeReport({
      system: { model: 'llama-3.1-8b', gpu: 'h100-sxm', engine: { name: 'vllm', version } },
      result: { metrics: { output_tok_s } },
    }),
  );

const headersOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => !['x-request-id', 'ratelimit', 'date'].includes(name)));

async function figures(): Promise<Record<'hits' | 'misses', number>> {
  const text = await (await fetch(`${keeping.url}/metrics`)).text();
  const of = (name: string) => Number(new RegExp(`inferboard_answer_cache_${name}_total (\\d+)`).exec(text)?.[1]);
  return { hits: of('hits'), misses: of('misses') };
}

test('a page is rendered once for each data version, and equals a new rendering', async () => {
  const stored = await submit('cached-1', 900);
  const system = stored.results[0]?.system.id;
  const paths = [
    ...['/', '/?gpu=h100', `/systems/${system}`, `/submissions/${stored.id}`, '/compare', '/matrix', '/history'],
    ...['/models', '/gpus/h100-sxm', '/scenarios', '/kernels', '/glossary', '/methodology', '/submit'],
  ];
  for (const path of paths) {
    const rendered = await (await fetch(`${bare.url}${path}`)).text();
    const first = await fetch(`${keeping.url}${path}`);
    expect(first.status, path).toBe(200);
    expect(await first.text(), path).toBe(rendered);
    const before = await figures();
    for (const _ of [1, 2]) {
      const again = await fetch(`${keeping.url}${path}`);
      expect(headersOf(again), path).toEqual(headersOf(first));
      expect(await again.text(), path).toBe(rendered);
      const known = { 'if-none-match': again.headers.get('etag') ?? '' };
      expect((await fetch(`${keeping.url}${path}`, { headers: known })).status, path).toBe(304);
    }
    const after = await figures();
    expect(after.misses, path).toBe(before.misses);
    expect(after.hits - before.hits, path).toBe(4);
  }
});

test('the next request for a page shows a change made elsewhere', async () => {
  for (let turn = 0; turn < 6; turn += 1) {
    const version = `fresh-${turn}`;
    const read = async (path = `/?engine_version=${version}`) => (await fetch(`${keeping.url}${path}`)).text();
    expect(await read('/')).toContain('<html');
    const { id } = await submit(version, 1000 + turn);
    expect(await read()).toContain(version);
    expect(await read(`/submissions/${id}`)).not.toContain('It was measured wrongly.');
    await post(`/v1/submissions/${id}/retract`, '{"reason": "It was measured wrongly."}');
    expect(await read(`/submissions/${id}`)).toContain('It was measured wrongly.');
    expect(await read()).toBe(await (await fetch(`${bare.url}/?engine_version=${version}`)).text());
  }
});

test('a form submission never gets a cached response', async () => {
  const before = await figures();
  for (const text of ['nothing that a tool printed', 'nor this']) {
    const body = new URLSearchParams({ artifact: text });
    const response = await fetch(`${keeping.url}/submit`, { method: 'POST', body });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toContain(text);
  }
  expect((await figures()).misses).toBeLessThanOrEqual(before.misses + 1);
  expect((await fetch(`${keeping.url}/nowhere`)).status).toBe(404);
  expect((await fetch(`${keeping.url}/systems/sys_000000000000000000000000`)).status).toBe(404);
});
