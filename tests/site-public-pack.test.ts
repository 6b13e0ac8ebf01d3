import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordsOf } from './support/browser.ts';
import { startTestServer, type TestServer } from './support/server.ts';

// A fresh installation with the pack of published figures alone, as its pages show it.

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ SAMPLE_DATA: 'public' });
});
afterAll(async () => {
  await server?.dispose();
});

const get = async (path: string) => {
  const response = await fetch(server.url + path);
  expect(response.status).toBe(200);
  return response.text();
};
const rowsOf = (html: string) =>
  (html.match(/<tr role="row"[\s\S]*?<\/tr>/g) ?? []).filter((row) => row.includes('role="rowheader"'));

/** A run of InferenceX, or the file at one commit that holds its results. */
const isSource =
  /<a href="https:\/\/github\.com\/(?:SemiAnalysisAI\/InferenceX\/actions\/runs\/\d+|[\w-]+\/[\w-]+\/blob\/[0-9a-f]{8}\/)/;

test('each row of the first page links to its source, and the page says that they are published', async () => {
  const html = await get('/');
  const rows = rowsOf(html);
  expect(rows.length).toBeGreaterThanOrEqual(10);
  for (const row of rows) {
    expect(row).toMatch(isSource);
    expect(wordsOf(row)).toContain('published');
    expect(wordsOf(row)).not.toContain('unspecified');
  }
  const board = (await (await fetch(`${server.url}/v1/leaderboard?limit=1`)).json()) as { imported: number };
  expect(board.imported).toBeGreaterThan(rows.length);
  expect(wordsOf(html)).toContain(
    `All ${board.imported} rows of this board are published figures that the operator imported; each links to its source.`,
  );
});

test('one sentence names the winner with its work, its load, its n and its source', async () => {
  const [sentence = '', ...others] = (await get('/')).match(/<p class="winner"[\s\S]*?<\/p>/g) ?? [];
  expect(others).toEqual([]);
  expect(wordsOf(sentence)).toMatch(
    /Fastest per GPU: .+ on (?:\d+x )?.+: [\d,.]+ tok\/s per GPU, 8k in \/ 1k out, [\d,]+ users, 1 measurement, published in InferenceX\./,
  );
  expect(sentence).toMatch(isSource);
});

test('a row of MLPerf is cited with its division, entry and submitter', async () => {
  const html = await get('/?workload=mlperf-llama2-70b-99.9-offline&rank_by=output_tok_s');
  expect(wordsOf(rowsOf(html)[0] ?? '')).toMatch(/MLPerf Inference v5\.1, (?:Closed|Open), 5\.1-\d{4}, \w+/);
});

test.each([
  'fastest gpu for llama 2 70b offline',
  'best quantization of deepseek r1 on b200',
  'best model under 20ms ITL on H100',
])('"%s" is answered with data', async (q) => {
  const html = await get(`/?${new URLSearchParams({ q })}`);
  expect(rowsOf(html).length).toBeGreaterThan(0);
});

test('the submission behind it names the publication', async () => {
  const list = (await (await fetch(`${server.url}/v1/submissions?account=import-llama-bench`)).json()) as {
    data: { id: string; source: { publisher: string; title: string } }[];
  };
  const [submission] = list.data;
  expect(submission?.source).toMatchObject({ publisher: 'kyuz0', title: 'amd-strix-halo-toolboxes' });
  const text = wordsOf(await get(`/submissions/${submission?.id}`));
  expect(text).toMatch(/Published in ?amd-strix-halo-toolboxes ?kyuz0/);
});
