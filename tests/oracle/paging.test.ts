import { beforeAll, expect, it } from 'vitest';
import { useTestApp } from '../../apps/api/src/testing/index.ts';
import { nativeReport } from '../support/hostile.ts';
import { askPages } from './ask.ts';
import { storeUploads } from './store.ts';
import { makeUploads } from './world.ts';

// Somebody reads a long list page by page while others submit: what was there when they began comes once, all of it.

const app = useTestApp();
let key = '';

beforeAll(async () => {
  await storeUploads(app, makeUploads(11, 300, 10));
  key = await app.createAccount('newcomer');
}, 120_000);

interface Item {
  id: string;
  system: { id: string };
}

const lists: [path: string, keyOf: (item: Item) => string][] = [
  ['/v1/submissions', ({ id }) => id],
  ['/v1/results', ({ id }) => id],
  ['/v1/systems', ({ id }) => id],
  ['/v1/leaderboard?rank_by=output_tok_s', ({ system }) => system.id],
  ['/v1/leaderboard?rank_by=ttft_ms&order=desc', ({ system }) => system.id],
];

let made = 0;

/** Submits a system that nobody had: over the tests they come to stand at all places of any order. */
async function submitAnother(): Promise<void> {
  made += 1;
  const engine = { name: `${String.fromCharCode(65 + (made % 26))} server ${made}` };
  const system = { model: 'llama-3.1-8b', gpu: 'h100-sxm', gpu_count: 1 + (made % 4), engine };
  const metrics = { output_tok_s: (made * 37) % 900, ttft_ms_mean: 1 + ((made * 101) % 3000) };
  const response = await app.submit(nativeReport({ system, result: { metrics } }), {}, key);
  expect(response.status).toBe(201);
}

/** Between two pages one is submitted, and another while the next page is read. */
function createNewcomer() {
  let underWay: Promise<void> = Promise.resolve();
  return {
    between: async () => {
      await underWay;
      await submitAnother();
      underWay = submitAnother();
    },
    finish: () => underWay,
  };
}

it.each(lists)('%s is whole by sevens while it grows', async (list, keyOf) => {
  const [path = '', search] = list.split('?');
  const query = [...new URLSearchParams(search)];
  const before = (await askPages<Item>(app, path, query, 200)).items.map(keyOf);
  expect(before.length).toBeGreaterThan(25);
  const newcomer = createNewcomer();
  const { items, pages } = await askPages<Item>(app, path, query, 7, newcomer.between);
  await newcomer.finish();
  const found = items.map(keyOf);
  const seen = new Set(found);
  expect(found.length - seen.size, 'twice').toBe(0);
  expect(before.filter((one) => !seen.has(one))).toEqual([]);
  expect(pages.length).toBeGreaterThan(3);
});
