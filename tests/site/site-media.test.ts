/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchBrowser, withPage } from '../support/site/browser.ts';
import { type SiteWorld, startSiteWorld } from '../support/site/site-world.ts';

// The pages in print, and with the reader's forced colours.

/** A4 portrait and landscape without margins, in CSS pixels. */
const [sheet, lying] = [703, 1046];

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

describe.skipIf(chromiumPath === null)('pages in print and with forced colours', () => {
  let world: SiteWorld;
  let browser: Browser;
  /** Path of the page, and the sheet width that it needs. */
  let printed: readonly (readonly [string, number])[];

  beforeAll(async () => {
    world = await startSiteWorld();
    browser = await launchBrowser();
    printed = [
      ['/?subject=quantization&rank_by=decode_tok_s&scenario=base', sheet],
      [`/systems/${world.reports.grid}`, sheet],
      [`/submissions/${world.submissions.large}`, sheet],
      [`/compare?ids=${world.series.join(',')}`, sheet],
      ['/matrix?view=grid', sheet],
      ['/matrix', lying],
      ['/gpus/rtx-pro-6000', sheet],
      ['/quantizations/w8a16_awq', sheet],
      ['/scenarios/decode-bound', sheet],
      [`/runs/${world.runs.done}`, sheet],
      ['/glossary', sheet],
    ];
  });
  afterAll(async () => {
    await browser?.close();
    await world?.dispose();
  });

  // Content wider than the sheet is cut off, because paper does not scroll.
  test('fit the paper, on a white background, without controls', async () => {
    await withPage(browser, { colorScheme: 'dark', viewport: { width: sheet, height: 1000 } }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      const wide: string[] = [];
      for (const [path, width] of printed) {
        await page.setViewportSize({ width, height: 1000 });
        await page.goto(world.url + path);
        const shown = await widthOf(page);
        if (shown > width) wide.push(`${path} is ${shown} wide on a sheet of ${width}`);
        expect(await page.locator('nav:visible, button:visible, select:visible').count(), path).toBe(0);
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(ground, path).toBe('rgb(255, 255, 255)');
        const littered = await page.evaluate(
          () => [...document.links].filter((link) => getComputedStyle(link, '::after').content !== 'none').length,
        );
        expect(littered, path).toBe(0);
      }
      expect(wide).toEqual([]);
    });
  });

  test('print the charts of a report, each with its figures', async () => {
    await withPage(browser, { viewport: { width: sheet, height: 1000 } }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      await page.goto(`${world.url}/systems/${world.reports.grid}`);
      const charts = await page.locator('.chart').evaluateAll((figures) =>
        figures.map((figure) => {
          const drawing = figure.querySelector(':scope > svg')?.getBoundingClientRect();
          const table = (figure.closest('.explorer') ?? figure).querySelector('details table')?.getBoundingClientRect();
          return { drawn: drawing?.height ?? 0, table: table?.height ?? 0 };
        }),
      );
      expect(charts.length).toBeGreaterThan(6);
      for (const { drawn, table } of charts) {
        expect(drawn).toBeGreaterThan(100);
        expect(table).toBeGreaterThan(50);
      }
    });
  });

  test('distinguish series by shape and dash with forced colours', async () => {
    await withPage(browser, { forcedColors: 'active' }, async (page) => {
      for (const path of [`/systems/${world.reports.grid}`, `/compare?ids=${world.series.join(',')}`]) {
        await page.goto(world.url + path);
        const charts = await page.locator('.chart').evaluateAll((figures) =>
          figures.map((figure) =>
            [...figure.querySelectorAll('.legend li, g.curve')].map((entry) => {
              const line = entry.querySelector('.line');
              const point = entry.querySelector('.point');
              return {
                colour: line === null ? '' : getComputedStyle(line).stroke,
                look: [line === null ? '' : getComputedStyle(line).strokeDasharray, point?.getAttribute('d')].join(' '),
              };
            }),
          ),
        );
        const several = charts.filter((legend) => legend.length > 1);
        expect(several.length, path).toBeGreaterThan(0);
        for (const legend of several) {
          expect(new Set(legend.map(({ look }) => look)).size).toBe(legend.length);
          expect(new Set(legend.map(({ colour }) => colour)).size).toBe(1);
        }
      }
    });
  });

  test('draw bars and selections as lines with forced colours', async () => {
    await withPage(browser, { forcedColors: 'active', colorScheme: 'dark' }, async (page) => {
      const paint = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((bar) => {
            const { fill, stroke } = getComputedStyle(bar);
            return { fill, stroke };
          });
      await page.goto(`${world.url}/?subject=quantization&rank_by=decode_tok_s&scenario=base`);
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const bar = await paint('.interval-bar .bar');
      expect(bar.stroke).not.toBe('none');
      expect([bar.stroke, (await paint('.interval-bar .whisker')).stroke]).not.toContain(ground);
      expect(bar.fill).toBe(ground);
      const chosen = page.locator('.site-header [aria-current]:visible');
      expect(await chosen.evaluate((link) => getComputedStyle(link).textDecorationLine)).toContain('underline');
      await page.goto(`${world.url}/matrix?view=grid`);
      const [first, second] = [await paint('.grid-bars .first'), await paint('.grid-bars .second')];
      expect(first.stroke).not.toBe(ground);
      expect(second.stroke).not.toBe(ground);
      expect(second.fill).not.toBe(first.fill);
      await page.goto(`${world.url}/runs/${world.runs.goingOn}`);
      expect(await page.locator('progress').evaluate((bar) => getComputedStyle(bar).borderTopWidth)).toBe('1px');
    });
  });
});
