/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../../../packages/loadgen/src/fake-server/fake-server.ts';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage } from '../../support/site/browser.ts';

const model = 'meta-llama/Llama-3.1-8B-Instruct';
let server: TestServer;
let fake: FakeServer;
let endpoint: string;

async function ask<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A run of a point with this many requests at each level, eight at a level taking two seconds or more. */
async function startRun(points: readonly (readonly [level: number, requests: number])[]): Promise<string> {
  const plan = points.map(([level, requests]) => ({
    scenario: { input_tokens: 64, output_tokens: 32 },
    load: { mode: 'concurrency', level },
    requests,
    warmup: 0,
  }));
  const { id } = await ask<{ id: string }>('/v1/runs', { endpoint_id: endpoint, plan });
  return id;
}

beforeAll(async () => {
  server = await startTestServer({
    SAMPLE_DATA: 'false',
    ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8',
    SECRET_KEY: 'a-secret-key-of-this-test-0123',
  });
  fake = await startFakeServer({ ttftMs: 60, itlMs: 6, slowdown: 0.05, slots: 8, model }, { isSilent: true });
  const registered = await ask<{ id: string }>('/v1/endpoints', {
    ...{ name: 'fake', base_url: `http://127.0.0.1:${fake.port}/v1`, model },
    ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0' },
  });
  endpoint = registered.id;
  await ask(`/v1/endpoints/${endpoint}/approve`, {});
});
afterAll(async () => {
  await server?.dispose();
  await fake?.close();
});

describe.skipIf(chromiumPath === null)('a running run', () => {
  let browser: Browser;
  let run: string;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('updates progress and points without a reload, until the run ends', async () => {
    // The last point takes long enough for a page on a slow machine to show the others first.
    run = await startRun([
      [1, 8],
      [2, 16],
      [4, 160],
    ]);
    await withPage(browser, {}, async (page, troubles) => {
      let loads = -1;
      page.on('load', () => {
        loads += 1;
      });
      await page.goto(`${server.url}/runs/${run}`);
      const waiting = page.locator('tr.waiting');
      expect(await page.locator('#run-points tbody tr').count()).toBe(3);
      // One after another, in measuring order.
      await expect.poll(() => waiting.count()).toBeLessThan(2);
      const texts = new Set<string>();
      await expect
        .poll(async () => {
          const text = page.locator('#run-text');
          if ((await text.count()) > 0) texts.add((await text.textContent().catch(() => '')) ?? '');
          return page.locator('#run-state').innerText();
        })
        .toContain('Done');
      expect(texts.size).toBeGreaterThan(2);
      expect([...texts].join('\n')).toMatch(/\d of 3 points, \d+ of 184 requests, about \d+ s left/);
      await expect.poll(() => waiting.count()).toBe(0);
      expect(await page.locator('#run-points tbody tr').first().innerText()).toMatch(/8 of 8/);
      await page.getByRole('link', { name: /The results, with the record/ }).click();
      await page.getByRole('heading', { name: 'Accepted' }).waitFor();
      await page.goBack();
      expect(await page.locator('#run-state').innerText()).toContain('Done');
      expect(loads).toBeLessThanOrEqual(2);
      expect(troubles).toEqual([]);
    });
  });

  test('shows the same without JavaScript, on each request', async () => {
    const other = await startRun([
      [1, 8],
      [2, 16],
    ]);

    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/runs/${other}`);
      await page.getByRole('link', { name: 'Show the current state' }).waitFor();
      await expect
        .poll(async () => {
          await page.reload();
          return page.locator('#run-state').innerText();
        })
        .toContain('Done');
      expect(await page.locator('tr.waiting').count()).toBe(0);
    });
  });
});
