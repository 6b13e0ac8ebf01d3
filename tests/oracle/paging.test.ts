import { beforeAll, expect, it } from 'vitest';
import { useTestApp } from '../../apps/api/src/testing/index.ts';
import { nativeReport } from '../support/hostile.ts';
import { askPages } from './ask.ts';
import { storeUploads } from './store.ts';
import { makeUploads } from './world.ts';

// A client reads a long list page by page while others submit: each entry from before the first page is returned exactly once.

const app = useTestApp();
let key = '';
/** A system with a series for each load. */
let veteran = '';

beforeAll(async () => {
  await storeUploads(app, makeUploads(11, 200, 10));
  key = await app.createAccount('newcomer');
  veteran = await submitVersion('sglang', '1.0', seq(40, 10));
  // Each is faster than the one before it, and the fastest of all.
  for (const minor of seq(20, 1)) await submitVersion('vllm', `0.${minor}`, [8], 20 * minor);
});

interface Item {
  id: string;
  system: { id: string };
  scenario: { id: string };
  load: { mode: string; level: number };
  definition: string | null;
}

type Submit = () => Promise<unknown>;

let made = 0;
const seq = (length: number, first: number) => Array.from({ length }, (_, index) => first + index);

async function submit(report: string): Promise<string> {
  made += 1;
  const response = await app.submit(report, {}, key);
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(201);
  return (JSON.parse(text) as { results: Item[] }).results[0]?.system.id ?? '';
}

/** Submits a new system. Over all tests, these systems are inserted at all positions of any order. */
function submitAnother(): Promise<string> {
  const system = { model: 'llama-3.1-8b', gpu: 'h100-sxm', gpu_count: 1 + (made % 4), gpu_power_limit_w: 300 + made };
  const metrics = { output_tok_s: (made * 37) % 900, ttft_ms_mean: 1 + ((made * 101) % 3000) };
  return submit(nativeReport({ system, result: { metrics } }));
}

/** Submits an engine version at some levels of concurrency; returns the id of the system. */
function submitVersion(name: string, version: string, levels: number[], speed = 50 + made / 10): Promise<string> {
  const system = { model: 'llama-3.1-8b', gpu: 'h100-sxm', engine: { name, version } };
  const results = levels.map((level) => ({ load: { mode: 'concurrency', level }, metrics: { output_tok_s: speed } }));
  return submit(nativeReport({ system, results }));
}

/** Another version, at loads before, between and after the existing ones. */
const submitNextVersion: Submit = () =>
  submitVersion('sglang', `1.${made}`, [1 + (made % 9), 10 + (made % 40), 60 + made]);

const idOf = ({ id }: Item) => id;
const systemOf = ({ system }: Item) => system.id;
const seriesOf = ({ scenario, load, definition }: Item) =>
  JSON.stringify([scenario.id, load.mode, load.level, definition]);

const lists: [path: string, keyOf: (item: Item) => string, submit: Submit][] = [
  ['/v1/submissions', idOf, submitAnother],
  ['/v1/results', idOf, submitAnother],
  ['/v1/systems', idOf, submitAnother],
  ['/v1/leaderboard?rank_by=output_tok_s', systemOf, submitAnother],
  ['/v1/leaderboard?rank_by=ttft_ms&order=desc', systemOf, submitAnother],
  ['/v1/history?metric=output_tok_s&system=VETERAN', seriesOf, submitNextVersion],
  ['/v1/changes?metric=output_tok_s', idOf, submitAnother],
  ['/v1/changes?metric=output_tok_s&type=version', idOf, submitNextVersion],
];

/** Submits one between two pages, and another while the next page is read. */
function createNewcomer(submitOne: Submit) {
  let underWay: Promise<unknown> = Promise.resolve();
  return {
    between: async () => {
      await underWay;
      await submitOne();
      underWay = submitOne();
    },
    finish: () => underWay,
  };
}

it.each(lists)('%s is complete in pages of seven while it grows', async (list, keyOf, submitOne) => {
  const [path = '', search] = list.replace('VETERAN', veteran).split('?');
  const query = [...new URLSearchParams(search)];
  const before = (await askPages<Item>(app, path, query, 200)).items.map(keyOf);
  expect(before.length).toBeGreaterThan(25);
  const newcomer = createNewcomer(submitOne);
  const { items, pages } = await askPages<Item>(app, path, query, 7, newcomer.between);
  await newcomer.finish();
  const found = items.map(keyOf);
  const seen = new Set(found);
  expect(found.length - seen.size, 'twice').toBe(0);
  expect(before.filter((one) => !seen.has(one))).toEqual([]);
  expect(pages.length).toBeGreaterThan(3);
});
