/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import {
  axeViolations,
  chromiumPath,
  launchBrowser,
  rulesOfColour,
  withPage,
  wordsOf,
} from '../../support/site/browser.ts';

// The best figures over time, of the published figures.

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ SAMPLE_DATA: 'public' });
});
afterAll(async () => {
  await server?.dispose();
});

const get = async (path: string, status = 200) => {
  const response = await fetch(server.url + path);
  expect(response.status).toBe(status);
  return response.text();
};
const sectionOf = (html: string) => /<section class="trend"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '';
const hrefOf = (html: string, label: string) =>
  new RegExp(`href="([^"]*)"[^>]*>${label}</a>`).exec(html)?.[1]?.replaceAll('&amp;', '&').replaceAll('&#38;', '&') ??
  '';

interface Trend {
  unit: string;
  days: number;
  workload: { id: string };
  data: {
    id: string;
    title: string;
    best: number;
    values: { day: string; value: number; is_best: boolean; source: { entry: string } }[];
  }[];
}

const ask = async (path: string) => (await (await fetch(server.url + path)).json()) as Trend;

describe('without a script', () => {
  test('a model has a line for each GPU in one workload, with unit, sources, CSV and API link', async () => {
    const section = sectionOf(await get('/models/deepseek-r1'));
    const trend = await ask(hrefOf(section, 'JSON'));
    expect(trend.data.length).toBeGreaterThanOrEqual(5);
    expect(trend.days).toBeGreaterThanOrEqual(20);
    const words = wordsOf(section).trim();
    expect(words).toMatch(/^Best output throughput per GPU over time: DeepSeek R1/);
    expect(words).toContain('Output throughput per GPU, tok/s');
    for (const { title } of trend.data.slice(0, 7)) expect(words).toContain(title);
    expect(words).toMatch(/InferenceX/);
    expect(section).toContain('href="https://github.com/SemiAnalysisAI/InferenceX/actions/runs/');
    const csv = await get(hrefOf(section, 'CSV'));
    const values = trend.data.flatMap((series) => series.values);
    expect(csv.trim().split('\r\n')).toHaveLength(values.length + 1);
    expect(csv).toMatch(/^.?series,series_title,workload,metric,unit/);
  });

  test('shows published figures of that day, and each best is above all earlier ones', async () => {
    const { data } = await ask('/v1/trends?model=deepseek-r1&full=true');
    for (const { best, values } of data) {
      let before = 0;
      for (const { day, value, is_best: isBest, source } of values) {
        expect(source.entry).toContain(day);
        expect(isBest).toBe(value > before);
        before = Math.max(before, value);
      }
      expect(best).toBe(before);
    }
  });

  test('a GPU has a line for each model', async () => {
    const section = sectionOf(await get('/gpus/b200'));
    expect(wordsOf(section).trim()).toMatch(/^Best output throughput per GPU over time: (NVIDIA )?B200/);
    expect(wordsOf(section)).toMatch(/DeepSeek R1[^.]* has the best figure/);
  });

  test('omits the chart if fewer than three days are known', async () => {
    // One round of MLPerf is one day.
    expect(sectionOf(await get('/models/llama-2-70b'))).toBe('');
    expect(sectionOf(await get('/gpus/rtx-4090'))).toBe('');
  });

  test('the history page has the chart for other metrics and workloads', async () => {
    const page = await get('/history?model=deepseek-r1&metric=itl_ms_mean&workload=8k-1k-steady');
    const words = wordsOf(sectionOf(page));
    expect(words).toMatch(/Best ITL over time: DeepSeek R1[^:]*, 8K→1K, steady/);
    await get('/trends.csv?metric=nothing', 422);
  });

  test('the history page opens with a system with several versions and a changed metric', async () => {
    const page = await get('/history');
    const words = wordsOf(page);
    expect(words).toMatch(/change between versions/);
    expect(words).toMatch(/(rose|fell) by [\d.]+ %/);
    expect(page).toMatch(/<article class="place"/);
    expect(sectionOf(page)).not.toBe('');
  });
});

describe.skipIf(chromiumPath === null)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const open = (path: string, options: Parameters<typeof withPage>[1], check: (page: Page) => Promise<void>) =>
    withPage(browser, options, async (page) => {
      await page.goto(server.url + path, { waitUntil: 'networkidle' });
      await check(page);
    });

  test.each(['/models/deepseek-r1', '/history'])('%s passes axe, light and dark', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const)
      await open(path, { colorScheme }, async (page) => {
        await page.locator('#trend-title').waitFor();
        expect(await axeViolations(page, colorScheme === 'light' ? null : rulesOfColour)).toEqual([]);
      });
  });

  test('a phone does not scroll sideways', async () => {
    const phone = { viewport: { width: 390, height: 844 } };
    for (const path of ['/models/deepseek-r1', '/gpus/b200', '/history'])
      await open(path, phone, async (page) => {
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(width).toBeLessThanOrEqual(390);
      });
  });

  test('a day shows its figures by keyboard and links to the row with the source', async () => {
    await open('/models/deepseek-r1', {}, async (page) => {
      const stop = page.locator('section.trend a.stop').last();
      await stop.focus();
      await page.locator('section.trend a.stop:focus .tip-title').waitFor({ state: 'visible' });
      const label = (await stop.getAttribute('aria-label')) ?? '';
      expect(label).toMatch(/^\d+ \w+ 20\d\d( to \d+ \w+ 20\d\d)?: .* tok\/s, .*n 1/);
      await page.keyboard.press('Enter');
      const row = page.locator(`section.trend tr:target`);
      await row.waitFor();
      expect(await row.locator('a[href^="https://github.com/"]').count()).toBeGreaterThan(0);
    });
  });
});
