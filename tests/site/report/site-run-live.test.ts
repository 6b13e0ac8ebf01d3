/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../../../packages/loadgen/src/fake-server/fake-server.ts';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage } from '../../support/site/browser.ts';

const model = 'meta-llama/Llama-3.1-8B-Instruct';
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
let server: TestServer;
let fake: FakeServer;

async function ask<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function register(name: string, more: Record<string, string>): Promise<string> {
  const { id } = await ask<{ id: string }>('/v1/endpoints', {
    ...{ name, base_url: `http://127.0.0.1:${fake.port}/v1`, model, gpu: 'h100-sxm', gpu_count: 1 },
    ...{ quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0', ...more },
  });
  await ask(`/v1/endpoints/${id}/approve`, {});
  return id;
}

async function startRun(
  endpoint_id: string,
  points: readonly (readonly [level: number, requests: number])[],
): Promise<string> {
  const plan = points.map(([level, requests]) => ({
    scenario: { input_tokens: 64, output_tokens: 32 },
    load: { mode: 'concurrency', level },
    ...{ requests, warmup: 0 },
  }));
  return (await ask<{ id: string }>('/v1/runs', { endpoint_id, plan })).id;
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const isDone = (page: Page) =>
  expect.poll(() => page.locator('#run-state').innerText(), { timeout: 120_000 }).toContain('Done');

beforeAll(async () => {
  server = await startTestServer({
    SAMPLE_DATA: 'false',
    ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
    SECRET_KEY: 'a-secret-key-of-this-test-0123',
  });
  fake = await startFakeServer({ ttftMs: 60, itlMs: 10, slots: 4, model }, { isSilent: true });
});
afterAll(async () => {
  await server?.dispose();
  await fake?.close();
});

describe.skipIf(chromiumPath === null)('the figures of a run', () => {
  let browser: Browser;
  let watched: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    watched = await register('watched', { metrics_url: `http://127.0.0.1:${fake.port}/metrics` });
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('update during the measurement, and end as charts with one time axis', async () => {
    // Eight users of four slots: four requests wait in the server.
    const run = await startRun(watched, [
      [2, 16],
      [8, 160],
    ]);
    await withPage(browser, phone, async (page, troubles) => {
      await page.goto(`${server.url}/runs/${run}`);
      const figure = (name: string) => page.locator(`[data-live="${name}"]`);
      await page.getByRole('heading', { name: 'The current point' }).waitFor();
      const texts = new Set<string>();
      await expect
        .poll(async () => {
          texts.add((await figure('requests').textContent()) ?? '');
          return texts.size;
        })
        .toBeGreaterThan(2);
      const now = () => Promise.all(['in_flight', 'waiting', 'kv_cache_share'].map((name) => figure(name).innerText()));
      await expect.poll(now).toEqual(['8', '4', '100 %']);
      await expect.poll(() => figure('requests').textContent()).toMatch(/^[1-9]\d* of 160$/);
      expect(await figure('failed').textContent()).toBe('none');
      await expect.poll(() => figure('ttft_ms.p50').textContent()).toMatch(/^\d+(\.\d+)?$/);
      expect(await figure('ttft_ms.p99').textContent()).toBe('–');
      expect(await overflow(page)).toBe(0);

      await isDone(page);
      await expect.poll(() => page.locator('#run-figures').count()).toBe(0);
      const charts = page.locator('#run-timeline figure');
      await expect.poll(() => charts.count()).toBe(5);
      const axes = await charts.evaluateAll((all) =>
        all.map((chart) =>
          [...chart.querySelectorAll('.tick[text-anchor=middle]')].map((tick) => tick.textContent).join(),
        ),
      );
      expect(new Set(axes).size).toBe(1);
      expect(await page.locator('#run-timeline tbody tr').allInnerTexts()).toContainEqual(
        expect.stringMatching(/^Requests in the server: waiting\s+0\s+4\s+\d+ readings$/),
      );
      expect(await overflow(page)).toBe(0);
      expect(troubles).toEqual([]);
    });
  });

  test('are on the page without JavaScript, as of the time of loading', async () => {
    const run = await startRun(watched, [[4, 150]]);
    await withPage(browser, { ...phone, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/runs/${run}`);
      const requests = page.locator('[data-live="requests"]');
      await expect
        .poll(async () => {
          await page.getByRole('link', { name: 'Show the current state' }).click();
          return (await requests.isVisible()) ? requests.innerText() : '';
        })
        .toMatch(/^\d+ of 150$/);
      expect(await overflow(page)).toBe(0);
      // The next run need not wait for its end.
      await ask(`/v1/runs/${run}/cancel`, {});
    });
  });

  test('have no server charts if the metrics are not read', async () => {
    const run = await startRun(await register('not watched', {}), [[4, 8]]);
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/runs/${run}`);
      await isDone(page);
      await page.reload();
      expect(await page.locator('#run-timeline').innerHTML()).toMatch(/^\s*$/);
    });
  });
});
