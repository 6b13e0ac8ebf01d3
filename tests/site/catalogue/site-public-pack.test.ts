import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';

// The pages of a fresh installation with only the pack of published figures.

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

/** A run of InferenceX, or the file with its results at one commit. */
const isSource =
  /<a href="https:\/\/github\.com\/(?:SemiAnalysisAI\/InferenceX\/actions\/runs\/\d+|[\w-]+\/[\w-]+\/blob\/[0-9a-f]{8}\/)/;

test('each row of the first page links to its source, and is labelled as published', async () => {
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

test('one sentence names the winner with its workload, load, n and source', async () => {
  const [sentence = '', ...others] = (await get('/')).match(/<p class="winner"[\s\S]*?<\/p>/g) ?? [];
  expect(others).toEqual([]);
  expect(wordsOf(sentence)).toMatch(
    /Fastest per GPU: .+ on (?:\d+x )?.+: [\d,.]+ tok\/s per GPU, 8k in \/ 1k out, [\d,]+ users, 1 measurement, published in InferenceX\./,
  );
  expect(sentence).toMatch(isSource);
});

test('the first page shows ten rows and links the whole board', async () => {
  const html = await get('/');
  const idsOf = (page: string) => rowsOf(page).map((row) => /id="(sys_\w+)"/.exec(row)?.[1]);
  expect(idsOf(html)).toHaveLength(10);
  const { workload } = (await (await fetch(`${server.url}/v1/leaderboard?limit=1`)).json()) as {
    workload: { id: string; systems: number };
  };
  const [, href = '', text = ''] = /<a class="button" href="([^"]+)"[^>]*>([^<]+)<\/a>/.exec(html) ?? [];
  expect(text.trim()).toBe(`All ${workload.systems} systems`);
  expect(href).toBe(`/?workload=${workload.id}`);
  const whole = await get(href);
  expect(idsOf(whole)).toHaveLength(50);
  expect(idsOf(whole).slice(0, 10)).toEqual(idsOf(html));
  expect(whole).toContain('rel="next"');
});

describe.skipIf(chromiumPath === null)('on a phone', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test('the first page shows its answer in the first 600 pixels and is at most 6,000 long', async () => {
    await withPage(browser, { viewport: { width: 390, height: 844 } }, async (page) => {
      await page.goto(server.url);
      const { y = 0, height = 0 } = (await page.locator('.winner').boundingBox()) ?? {};
      expect(height).toBeGreaterThan(0);
      expect(y + height).toBeLessThan(600);
      expect(await page.locator('.board tbody tr').count()).toBe(10);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(6000);
      for (const path of ['/', '/?scenario=tg128', '/?workload=mlperf-llama2-70b-99.9-open-offline']) {
        await page.goto(server.url + path);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(390);
      }
    });
  });
});

test('a row of MLPerf names its division, entry and submitter', async () => {
  const html = await get('/?workload=mlperf-llama2-70b-99.9-offline&rank_by=output_tok_s');
  // The row names the publication; the entry is the tooltip of the link.
  expect(rowsOf(html)[0]).toMatch(/title="5\.1-\d{4}, \w+[^"]*">[^<]*MLPerf Inference v5\.1, Closed</);
  for (const row of rowsOf(html)) expect(wordsOf(row)).not.toContain('open division');
  const open = rowsOf(await get('/?workload=mlperf-llama2-70b-99.9-open-offline&rank_by=output_tok_s'));
  expect(open.length).toBeGreaterThan(10);
  for (const row of open) {
    expect(row).toMatch(/title="5\.1-\d{4}, \w+/);
    expect(wordsOf(row)).toMatch(/MLPerf Inference v5\.1, Open open division/);
  }
});

test.each([
  'fastest gpu for llama 2 70b offline',
  'best quantization of deepseek r1 on b200',
  'best model under 20ms ITL on H100',
])('"%s" returns data', async (q) => {
  const html = await get(`/?${new URLSearchParams({ q })}`);
  expect(rowsOf(html).length).toBeGreaterThan(0);
});

test('its submission names the publication', async () => {
  const list = (await (await fetch(`${server.url}/v1/submissions?account=import-llama-bench`)).json()) as {
    data: { id: string; source: { publisher: string; title: string } }[];
  };
  const [submission] = list.data;
  expect(submission?.source).toMatchObject({ publisher: 'kyuz0', title: 'amd-strix-halo-toolboxes' });
  const text = wordsOf(await get(`/submissions/${submission?.id}`));
  expect(text).toMatch(/Published in ?amd-strix-halo-toolboxes ?kyuz0/);
});
