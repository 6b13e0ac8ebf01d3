/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrid } from '../../packages/core/src/testing/report-grid.ts';
import { type ReportServer, startReportServer } from '../support/reports.ts';
import { adminKey } from '../support/server.ts';
import { chromiumPath, launchBrowser, withPage } from '../support/site/browser.ts';
import { layoutFaults } from '../support/site/layout-faults.ts';
import { faultsOfView } from '../support/site/look.ts';
import { comparisonHeightMax } from '../support/site/page-types.ts';

// The layout of a long comparison, and that the checks of the layout detect a broken page.

/** The same grid on another engine, 1/6 slower for each user. Returns the system's id. */
async function submitOther(url: string): Promise<string> {
  const results = fullGrid.flatMap(({ scenario, mode, level, metrics }) =>
    [1, 1.012, 0.993].map((factor, at) => ({
      ...{ scenario, load: { mode, level }, repetition: at + 1 },
      metrics: {
        ttft_ms_mean: (metrics.ttft_ms_mean ?? 0) * factor * 1.1,
        user_tok_s: (metrics.user_tok_s ?? 0) / factor / 1.2,
      },
    })),
  );
  const system = { model: 'Qwen/Qwen3.5-35B-A3B-FP8', quantization: 'fp8', gpu: 'h200', gpu_count: 1 };
  const body = { schema: 'inferboard/v1', system: { ...system, engine: { name: 'sglang', version: '0.5' } }, results };
  const response = await fetch(`${url}/v1/submissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { results: { system: { id: string } }[] };
  return answer.results[0]?.system.id ?? '';
}

describe.skipIf(chromiumPath === null)('the page layout', () => {
  let given: ReportServer;
  let browser: Browser;
  let other: string;
  beforeAll(async () => {
    given = await startReportServer();
    other = await submitOther(given.server.url);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await given?.server.dispose();
  });

  const comparison = () => `/compare?ids=${given.grid},${other}`;

  test('a comparison of two full reports is short enough at 1440 pixels', async () => {
    await withPage(browser, { viewport: { width: 1440, height: 900 } }, async (page, troubles) => {
      await page.goto(given.server.url + comparison());
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      expect(height).toBeLessThanOrEqual(comparisonHeightMax);
      expect(troubles).toEqual([]);
    });
  });

  test.each([390, 1440])('a comparison at %s pixels has no overflow and no covered text', async (width) => {
    await withPage(browser, { viewport: { width, height: 900 } }, async (page) => {
      await page.goto(given.server.url + comparison());
      expect(await layoutFaults(page)).toEqual([]);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      expect(await layoutFaults(page), 'opened').toEqual([]);
    });
  });

  test('a full report has the explorer of its own curve, with its workloads', async () => {
    await withPage(browser, { viewport: { width: 1440, height: 900 } }, async (page, troubles) => {
      await page.goto(`${given.server.url}/systems/${given.grid}`);
      const explorer = page.locator('#explorer.live');
      expect(await explorer.locator('[data-curve] a').count()).toBe(9);
      await explorer.getByText('Axes, colours, limit and dates').click();
      await explorer.getByLabel('Workload').selectOption('rag-steady');
      await explorer.getByRole('heading', { name: /RAG/ }).waitFor();
      expect(await explorer.locator('[data-curve] a').count()).toBe(6);
      expect(troubles).toEqual([]);
    });
  });

  test('each of several explorers on a page changes independently', async () => {
    await withPage(browser, { viewport: { width: 1440, height: 900 } }, async (page, troubles) => {
      await page.goto(`${given.server.url}/compare?ids=${given.grid},${other}`);
      const [first, second] = [page.locator('#workload-1.live'), page.locator('#workload-2.live')];
      await second.getByRole('link', { name: 'Hide A vLLM' }).click();
      await second.getByRole('link', { name: 'Show A vLLM' }).waitFor();
      expect(await second.locator('[data-curve]').count()).toBe(1);
      expect(await first.locator('[data-curve]').count()).toBe(2);
      expect(await second.getAttribute('id')).toBe('workload-2');
      expect(await second.locator('#workload-2-title').count()).toBe(1);
      expect(troubles).toEqual([]);
    });
  });

  // Proves that the test of every page detects a broken page.
  test('detects an overflowing table, a covered text, a broken cell and a long page', async () => {
    const act = (page: Page) =>
      page.evaluate(() => {
        const block = document.querySelector('#configuration') as HTMLElement;
        block.insertAdjacentHTML('beforeend', '<table id="broken"><tr><td class="odd">wide</td></tr></table>');
        const table = document.querySelector('#broken') as HTMLElement;
        table.style.width = '1600px';
        (table.querySelector('td') as HTMLElement).style.display = 'block';
        const title = document.querySelector('#configuration-title') as HTMLElement;
        title.style.marginBottom = '-3rem';
      });
    const view = { path: `/systems/${given.grid}`, act, heightMax: 1000 };
    const faults = await faultsOfView(browser, given.server.url, view, false);
    for (const width of [390, 1440]) {
      const seen = faults.filter((fault) => fault.endsWith(`at ${width} closed`)).join('\n');
      expect(seen).toContain('leaves the page: table');
      expect(seen).toContain('leaves its block: table');
      expect(seen).toContain('covers: ');
      expect(seen).toContain('not laid out as a table cell: td.odd');
    }
    expect(faults.join('\n')).toMatch(/\d+ high at 1440, of at most 1000/);
  });
});
