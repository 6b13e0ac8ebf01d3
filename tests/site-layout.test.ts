/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrid } from '../packages/core/src/report/testing.ts';
import { chromiumPath, launchBrowser, withPage } from './support/browser.ts';
import { type ReportServer, startReportServer } from './support/reports.ts';
import { adminKey } from './support/server.ts';

// How long the pages of reports and comparisons are, and whether anything on them covers text or leaves its place.

/** The whole grid on another engine, each user a sixth slower. Answers the system's id. */
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

/**
 * Elements that overflow the page or their container, and texts that overlap. What a reader scrolls sideways,
 * what only screen readers have, and what opens is left out.
 */
function layoutFaults(): string[] {
  const faults: string[] = [];
  const nameOf = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)}"`;
  const isHidden = (element: Element) =>
    !element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) ||
    element.closest('.visually-hidden, .skip, .tip, desc, title') !== null;
  const scrolls = (element: Element | null): boolean =>
    element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const main = document.querySelector('main') as HTMLElement;
  const edge = document.documentElement.clientWidth;
  for (const element of main.querySelectorAll('*')) {
    if (isHidden(element) || scrolls(element)) continue;
    // Groups of a drawing are as wide as what they hide.
    if (element.closest('svg') !== null && !element.matches('text, path, rect, circle')) continue;
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (left < -1 || right > edge + 1)) faults.push(`leaves the page: ${nameOf(element)}`);
    const block =
      element.closest('svg') === null ? element.parentElement?.closest('section, article, li, td, th, figure') : null;
    const drawing = element.matches('text') ? element.closest('figure > svg, .chart-scroll > svg') : null;
    const shown = drawing?.getBoundingClientRect();
    if (drawing != null && shown !== undefined && getComputedStyle(drawing).overflow === 'hidden')
      if (left < shown.left - 1 || right > shown.right + 1) faults.push(`is cut off: ${nameOf(element)}`);
    const own = block?.getBoundingClientRect();
    if (own !== undefined && own.width > 0 && width > 0 && (right > own.right + 1 || left < own.left - 1))
      faults.push(`leaves its block: ${nameOf(element)}`);
  }
  const boxes: { box: DOMRect; of: Element }[] = [];
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const of = node.parentElement;
    if (of === null || (node.textContent ?? '').trim() === '' || isHidden(of)) continue;
    // A table that scrolls shows a part of itself.
    if (scrolls(of) || of.closest('option, select') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) boxes.push({ box, of });
  }
  boxes.sort((a, b) => a.box.top - b.box.top);
  for (const [at, { box, of }] of boxes.entries()) {
    for (let next = at + 1; next < boxes.length; next += 1) {
      const other = boxes[next];
      if (other === undefined || other.box.top >= box.bottom) break;
      if (other.of === of) continue;
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      // Lines of text touch: their boxes are higher than their letters.
      if (across > 2 && down > 0.45 * Math.min(box.height, other.box.height))
        faults.push(`covers: ${nameOf(of)} and ${nameOf(other.of)}`);
    }
  }
  return [...new Set(faults)].slice(0, 20);
}

/** Labels of lines on which a curve, a point or a bar of a chart lies. */
function coveredLabels(): string[] {
  return [...document.querySelectorAll('figure.chart > svg')].flatMap((svg) => {
    const marks = [...svg.querySelectorAll('.line, .point, .error, .runs, .band')].filter(
      (mark) => mark.closest('.tip') === null,
    );
    return [...svg.querySelectorAll('text.limit-text')].flatMap((label) => {
      const box = label.getBoundingClientRect();
      const isCovered = marks.some((mark) => {
        const other = mark.getBoundingClientRect();
        return other.right > box.left && other.left < box.right && other.bottom > box.top && other.top < box.bottom;
      });
      return isCovered ? [label.textContent?.trim() ?? ''] : [];
    });
  });
}

describe.skipIf(chromiumPath === null)('the layout', () => {
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

  const pages: readonly { name: string; path: () => string; heightMax: number }[] = [
    { name: 'two full reports compared', path: () => `/compare?ids=${given.grid},${other}`, heightMax: 6000 },
    { name: 'a full report', path: () => `/systems/${given.grid}`, heightMax: 5000 },
    { name: 'the sample report', path: () => `/systems/${given.sparse}`, heightMax: 5000 },
    { name: 'an offline report', path: () => `/systems/${given.offline}`, heightMax: 5000 },
  ];

  test.each(pages)('$name is short enough at 1440 pixels', async ({ path, heightMax }) => {
    await withPage(browser, { viewport: { width: 1440, height: 900 } }, async (page, troubles) => {
      await page.goto(given.server.url + path());
      expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(heightMax);
      expect(troubles).toEqual([]);
    });
  });

  const views = pages.flatMap((page) => [390, 1440].map((width) => ({ ...page, width })));
  test.each(views)('nothing leaves its place or covers text: $name at $width pixels', async ({ path, width }) => {
    await withPage(browser, { viewport: { width, height: 900 } }, async (page) => {
      await page.goto(given.server.url + path());
      expect(await page.evaluate(layoutFaults)).toEqual([]);
      expect(await page.evaluate(coveredLabels)).toEqual([]);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      expect(await page.evaluate(layoutFaults), 'opened').toEqual([]);
    });
  });

  // A test that finds nothing on a broken page shows nothing.
  test('a table that leaves its place and a label on another are found', async () => {
    await withPage(browser, { viewport: { width: 1440, height: 900 } }, async (page) => {
      await page.goto(`${given.server.url}/systems/${given.grid}`);
      await page.evaluate(() => {
        const block = document.querySelector('#configuration') as HTMLElement;
        block.insertAdjacentHTML('beforeend', '<table id="broken"><tr><td>wide</td></tr></table>');
        const table = document.querySelector('#broken') as HTMLElement;
        table.style.width = '1600px';
        const title = document.querySelector('#configuration-title') as HTMLElement;
        title.style.marginBottom = '-3rem';
      });
      const faults = await page.evaluate(layoutFaults);
      expect(faults.some((fault) => fault.includes('leaves its block: table'))).toBe(true);
      expect(faults.some((fault) => fault.startsWith('covers: '))).toBe(true);
    });
  });
});
