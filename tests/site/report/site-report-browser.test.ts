/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Queue, type Report, type ReportServer, type Series, startReportServer } from '../../support/reports.ts';
import { chromiumPath, launchBrowser, withPage } from '../../support/site/browser.ts';

/** Parses a printed value into the metric's unit. */
function numberOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,.]+)\s*(\S*)/.exec(text) ?? [];
  const factor = unit === 's' ? 1000 : unit === '%' ? 0.01 : 1;
  return Number(digits.replaceAll(',', '')) * factor;
}

/** Charts of the page by their series. */
const charts: readonly { id: string; of: (report: Report) => Series[] }[] = [
  { id: 'peak-speed', of: ({ peak }) => peak?.user_tok_s ?? [] },
  { id: 'peak-itl', of: ({ peak }) => peak?.itl_ms ?? [] },
  { id: 'peak-scaling', of: ({ peak }) => peak?.scaling_efficiency ?? [] },
  { id: 'burst-ttft', of: ({ burst }) => burst?.ttft_ms ?? [] },
  { id: 'burst-itl', of: ({ burst }) => burst?.itl_ms ?? [] },
  { id: 'burst-speed', of: ({ burst }) => burst?.user_tok_s ?? [] },
];

describe.skipIf(chromiumPath === null)('a report in a browser', () => {
  let given: ReportServer;
  let browser: Browser;

  beforeAll(async () => {
    given = await startReportServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await given?.server.dispose();
  });

  const pageOf = (id: string) => `${given.server.url}/systems/${id}`;

  test('has the figures of the API in headline and tables, with the shown precision', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(pageOf(given.grid));
      const headline = await page.locator('.headline-value').allInnerTexts();
      const { peak_decode_speed, max_decode_throughput, best_ttft } = given.report.headline;
      for (const [index, figure] of [peak_decode_speed, max_decode_throughput, null, best_ttft].entries()) {
        if (figure) expect(numberOf(headline[index] ?? '')).toBeCloseTo(figure.value, -Math.log10(figure.value * 1e-3));
      }
      const compared: string[] = [];
      for (const { id, of } of charts) {
        await page.locator(`#${id} summary`).click();
        const heads = await page.locator(`#${id} thead th`).allInnerTexts();
        for (const { scenario, values } of of(given.report)) {
          const column = heads.indexOf(scenario.title) - 1;
          expect(column, scenario.title).toBeGreaterThanOrEqual(0);
          for (const { value, n, ci95, load } of values) {
            const cell = page.locator(`#${id}-chart-${load.level} td`).nth(column);
            const text = await cell.innerText();
            // Two digits of a percentage, three of other values.
            const tolerance = text.includes('%') ? 0.0051 : value * 0.005;
            const place = `${id} ${scenario.title} ${load.level}: ${text}`;
            expect(Math.abs(numberOf(text) - value), place).toBeLessThanOrEqual(tolerance);
            expect(text).toContain(`n ${n}`);
            expect(/ to /.test(text)).toBe(ci95 !== null);
            compared.push(text);
          }
        }
      }
      expect(compared.length).toBeGreaterThan(100);
      const queues = given.report.burst?.max_safe_queue as Queue[];
      const shown = await page.locator('.queue-cards li').allInnerTexts();
      for (const [index, { scenario, text }] of queues.entries()) {
        expect(shown[index]).toContain(scenario.title);
        expect(shown[index]).toContain(text.replace('>=', '≥'));
      }
    });
  });

  test('aligns table cells with their headings', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(pageOf(given.grid));
      const rows = await page.evaluate(() =>
        [...(document.querySelector('.points')?.querySelectorAll('tr') ?? [])].map((row) =>
          [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)),
        ),
      );
      const [heads, ...others] = rows;
      expect(heads?.length).toBeGreaterThan(2);
      expect(others).toEqual(others.map(() => heads));
    });
  });

  test('accepts another limit without JavaScript', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(pageOf(given.grid));
      await page.getByLabel('Longest acceptable wait, in seconds').fill('0.5');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(page.url()).toBe(`${pageOf(given.grid)}?ttft_limit_s=0.5#safe-queue`);
      expect(await page.locator('.queue-value').first().innerText()).not.toContain('131');
    });
  });

  test('has chart values that are reached by keyboard, and link to their table row', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(pageOf(given.grid));
      await page.locator('#burst-ttft .chart-intro a').focus();
      await page.keyboard.press('Tab');
      const first = page.locator('#burst-ttft .stop').first();
      await expect.poll(() => first.evaluate((stop) => stop === stop.ownerDocument.activeElement)).toBe(true);
      expect(await first.getAttribute('aria-label')).toMatch(/^burst of 1: Chatbot 0\.189 s, n \d; RAG \/ QA 0\.23 s/);
      expect(await first.locator('.tip').evaluate((tip) => getComputedStyle(tip).visibility)).toBe('visible');
      await page.keyboard.press('Tab');
      expect(await first.locator('.tip').evaluate((tip) => getComputedStyle(tip).visibility)).toBe('hidden');
      const second = page.locator('#burst-ttft .stop').nth(1);
      expect(await second.locator('.tip').evaluate((tip) => getComputedStyle(tip).visibility)).toBe('visible');
      await page.keyboard.press('Enter');
      expect(new URL(page.url()).hash).toBe('#burst-ttft-chart-2');
      expect(await page.locator('#burst-ttft-chart-2').isVisible()).toBe(true);
    });
  });

  test.each([320, 1280])('keeps chart tooltips inside the page at %d pixels', async (width) => {
    await withPage(browser, { viewport: { width, height: 800 } }, async (page) => {
      for (const id of [given.grid, given.sparse, given.offline, given.kernel]) {
        await page.goto(pageOf(id));
        const outside = await page.evaluate(() => {
          const wide = document.documentElement.clientWidth;
          return [...document.querySelectorAll('.tip rect')].filter((tip) => {
            const { left, right } = tip.getBoundingClientRect();
            return left < -0.5 || right > wide + 0.5;
          }).length;
        });
        expect(outside, id).toBe(0);
      }
    });
  });
});
