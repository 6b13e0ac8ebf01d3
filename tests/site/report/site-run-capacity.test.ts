/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../../../packages/loadgen/src/fake-server/fake-server.ts';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage } from '../../support/site/browser.ts';

const model = 'meta-llama/Llama-3.1-8B-Instruct';
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
let server: TestServer;
let fake: FakeServer;
let endpoint_id: string;

async function ask<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A search from one user on; a point needs at least 20 requests. */
async function search(limits: Record<string, number> = {}): Promise<string> {
  const find = { limits: 'ttft_p99<1400', scenario: { input_tokens: 16, output_tokens: 4 }, from: 1, requests: 20 };
  return (await ask<{ id: string }>('/v1/runs', { endpoint_id, plan: 'capacity', find, warmup: 0, limits })).id;
}

const headline = (page: Page) => page.locator('.capacity-headline').innerText();
const facts = (page: Page) => page.locator('#run-capacity tr').allInnerTexts();
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const isDone = (page: Page) =>
  expect.poll(() => page.locator('#run-state').innerText(), { timeout: 300_000 }).toContain('Done');

beforeAll(async () => {
  server = await startTestServer({
    SAMPLE_DATA: 'false',
    ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
    SECRET_KEY: 'a-secret-key-of-this-test-0123',
  });
  // One slot: of two requests in flight, one waits for the whole response of the other, so TTFT doubles. Both times are far from
  // the limit.
  fake = await startFakeServer({ ttftMs: 800, itlMs: 2, slots: 1, model }, { isSilent: true });
  const registered = await ask<{ id: string }>('/v1/endpoints', {
    ...{ name: 'fake', base_url: `http://127.0.0.1:${fake.port}/v1`, model },
    ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0' },
  });
  endpoint_id = registered.id;
  await ask(`/v1/endpoints/${endpoint_id}/approve`, {});
});
afterAll(async () => {
  await server?.dispose();
  await fake?.close();
});

describe.skipIf(chromiumPath === null)('the page of a capacity search', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('narrows the interval without a reload, and ends with the result', async () => {
    const run = await search();
    await withPage(browser, phone, async (page, troubles) => {
      await page.goto(`${server.url}/runs/${run}`);
      await page.getByRole('heading', { name: 'Capacity', exact: true }).waitFor();
      const text = page.locator('#run-text');
      const progress = new Set<string>();
      const headlines = new Set<string>();
      await expect
        .poll(
          async () => {
            headlines.add(await headline(page).catch(() => ''));
            if ((await text.count()) > 0) progress.add((await text.textContent().catch(() => '')) ?? '');
            return page.locator('#run-state').innerText();
          },
          { timeout: 300_000 },
        )
        .toContain('Done');
      expect([...progress].join('\n')).toMatch(/^\d+ of at most 20 points, [\d,]+ of at most 20,000 requests$/m);
      expect([...headlines].join('\n')).toMatch(/^(Searching for the highest load|.* so far)/m);
      await expect.poll(() => headline(page)).toMatch(/^(single request|2 concurrent) under ttft_p99<1400$/);
      const rows = (await facts(page)).join('\n');
      expect(rows).toMatch(/^Meets the limits\s+(single request|2 concurrent)$/m);
      expect(rows).toMatch(/^Misses a limit\s+[234] concurrent/m);
      expect(rows).toMatch(/Bound by\s+the limit ttft_p99<1400/);
      expect(rows).toMatch(/Ended\s+The interval is narrow enough\./);
      // Every measured point states how it met or missed the limit.
      const points = await page.locator('#run-points tbody tr').allInnerTexts();
      expect(points.length).toBeGreaterThan(2);
      expect(
        points.filter((text) => !/meets the limits: \d+ % of|misses ttft_p99<1400: \d+ % of it/.test(text)),
      ).toEqual([]);
      expect(await page.locator('#run-points thead').innerText()).toContain('Goodput, req/s');
      // One user is within the limits.
      expect(points[0]).toMatch(/\(100 %\)$/);
      expect(await page.locator('tr.waiting').count()).toBe(0);
      expect(await overflow(page)).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      expect(troubles).toEqual([]);
    });
  });

  test('states that the budget ended a search', async () => {
    const run = await search({ requests: 44 });
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/runs/${run}`);
      await isDone(page);
      await expect
        .poll(() => facts(page))
        .toContainEqual(expect.stringMatching(/Ended\s+The search used its budget\./));
      expect((await facts(page)).join('\n')).toMatch(/Budget\s+20 points, 44 requests/);
      await page.getByRole('link', { name: /The results, with the record/ }).click();
      await expect.poll(() => page.url()).toMatch(/\/submissions\/sub_/);
    });
  });
});
