/// <reference lib="dom" />
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReportServer, startReportServer } from '../support/reports.ts';
import { createBoxFont } from '../support/site/box-font.ts';
import { chromiumPath, dress, launchBrowser, loadFont, withPage } from '../support/site/browser.ts';
import { compareScreenshots } from '../support/site/screenshot.ts';

// Screenshots of five pages against the committed baselines, in a font of boxes that is the same on every machine.
// `npm run baselines` writes new ones. Check them before you commit them.

const isUpdate = process.env.UPDATE_BASELINES === 'true';
const folder = fileURLToPath(new URL('screenshots/', import.meta.url));
/** Pixels from the top of the page. */
const heightMax = 2400;
/** Share of the pixels that may differ: form controls are drawn differently in other versions of Chromium. */
const tolerance = 0.0003;
const bytesMax = 1_000_000;

const looks: Record<string, BrowserContextOptions> = {
  light: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 } },
};
const steady = { colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' } as const;

/** Opens a page in the font of boxes. */
async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await loadFont(page, 'boxes', createBoxFont({ ascent: 0.95, descent: 0.25, advance: 0.52 }));
  await dress(page, ':root { --font: "boxes", monospace; --mono: "boxes", monospace }');
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

async function shoot(page: Page): Promise<Buffer> {
  const { width, height } = await page.evaluate(() => {
    const { clientWidth, scrollHeight } = document.documentElement;
    return { width: clientWidth, height: scrollHeight };
  });
  const clip = { x: 0, y: 0, width, height: Math.min(height, heightMax) };
  return page.screenshot({ fullPage: true, clip, caret: 'hide' });
}

describe.skipIf(chromiumPath === null)('screenshots', () => {
  let given: ReportServer;
  let browser: Browser;
  let compared: string[];
  beforeAll(async () => {
    // Commands on the pages show this address instead of the current port.
    given = await startReportServer({ PUBLIC_URL: 'http://localhost:8787' });
    const best = `${given.server.url}/v1/best?full=true&subject=quantization&scenario=decode-bound&rank_by=decode_tok_s`;
    const { data } = (await (await fetch(best)).json()) as { data: { system: { id: string } }[] };
    compared = data.slice(0, 2).map(({ system }) => system.id);
    browser = await launchBrowser();
    await mkdir(folder, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await given?.server.dispose();
  });

  const pages: readonly { name: string; path: () => string }[] = [
    { name: 'home', path: () => '/' },
    { name: 'model', path: () => '/models/llama-2-7b' },
    { name: 'compare', path: () => `/compare?ids=${compared.join(',')}` },
    { name: 'report', path: () => `/systems/${given.grid}` },
    { name: 'submit', path: () => '/submit' },
  ];
  const shots = pages.flatMap((page) => Object.keys(looks).map((look) => ({ ...page, look })));

  test.each(shots)('$name, $look: equals its baseline', async ({ name, look, path }) => {
    const file = join(folder, `${name}-${look}.png`);
    await withPage(browser, { ...steady, ...looks[look] }, async (page) => {
      await open(page, given.server.url + path());
      const taken = await shoot(page);
      if (isUpdate) return writeFile(file, taken);
      const { sizes, share } = await compareScreenshots(page, await readFile(file), taken);
      const copy = join(tmpdir(), `inferboard-${name}-${look}.png`);
      if (share > tolerance) await writeFile(copy, taken);
      expect(sizes[1], `${copy} has another size than ${file}`).toBe(sizes[0]);
      expect(share, `${copy} differs from ${file}`).toBeLessThanOrEqual(tolerance);
    });
  });

  // Proves that the tolerance is small enough.
  test.each([
    ['an overlapping label', 'h1 { margin-bottom: -2rem !important }'],
    ['a table without lines', 'th, td { border: 0 !important }'],
    ['another colour of the leading value', '.lead .value strong { color: lime !important; background: lime }'],
  ])('%s is detected as a difference', async (_, styles) => {
    await withPage(browser, { ...steady, ...looks.light }, async (page) => {
      await open(page, `${given.server.url}/`);
      const before = await shoot(page);
      await page.evaluate((css) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        document.adoptedStyleSheets.push(sheet);
      }, styles);
      expect((await compareScreenshots(page, before, await shoot(page))).share).toBeGreaterThan(tolerance);
    });
  });

  test('all baselines together are small, and each has a page', async () => {
    const files = await readdir(folder);
    expect(files.toSorted()).toEqual(shots.map(({ name, look }) => `${name}-${look}.png`).toSorted());
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bytesMax);
  });
});
