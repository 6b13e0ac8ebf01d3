/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { createBoxFont, type FontShape } from './box-font.ts';
import { axeViolations, dress, loadFont, rulesOfColour, rulesOfSize, withPage } from './browser.ts';
import { layoutFaults } from './layout-faults.ts';
import { htmlMax, scriptMax, scriptOfEveryPage, type View } from './page-types.ts';

const [narrow, wide] = [320, 1280];
/** A phone and a desktop: the layout is checked at these widths. */
const [phone, desktop] = [390, 1440];
const height = 900;

/** Readers' systems can have any font: low and narrow, such as EB Garamond, or high and wide, such as Noto Sans. */
const fonts: Readonly<Record<string, FontShape>> = {
  'low and narrow font': { ascent: 0.8, descent: 0.2, advance: 0.4 },
  'high and wide font': { ascent: 1.1, descent: 0.32, advance: 0.58 },
};
const inFont = (family: string) => `:root { --font: "${family}", monospace; --mono: "${family}", monospace }`;

/** Size of the page in pixels, including the part outside the window. */
const sizeOf = (page: Page): Promise<{ width: number; height: number }> =>
  page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { width: scrollWidth, height: scrollHeight };
  });

/** Opens all collapsible elements, so that tests see all content. Returns their number. */
const openAll = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const closed = document.querySelectorAll<HTMLDetailsElement>('details:not([open])');
    for (const details of closed) details.open = true;
    return closed.length;
  });

/** Opens a page. Returns the transferred bytes by resource type and the status. */
async function weigh(page: Page, url: string): Promise<{ html: number; script: number; status: number }> {
  const bytes = { html: 0, script: 0 };
  const sizes: Promise<void>[] = [];
  page.on('response', (response) => {
    const request = response.request();
    const kind = request.resourceType();
    if (kind !== 'script' && kind !== 'document') return;
    const add = request.sizes().then(({ responseBodySize }) => {
      bytes[kind === 'script' ? 'script' : 'html'] += responseBodySize;
    });
    sizes.push(add);
  });
  const response = await page.goto(url, { waitUntil: 'load' });
  await Promise.all(sizes);
  return { ...bytes, status: response?.status() ?? 0 };
}

/**
 * All errors of a view, in light and dark, at 320 and 1280 pixels: axe-core violations, horizontal scrolling, too many bytes, and
 * console errors, including security policy violations. At 390 and 1440 pixels: elements that leave their container or cover text,
 * and the height of the page.
 *
 * @param isWhole also judges sizes at 320 pixels and in two fonts with different metrics, and the colours of dark mode
 */
export async function faultsOfView(browser: Browser, url: string, view: View, isWhole: boolean): Promise<string[]> {
  const { path, act, script = 0, heightMax = Number.POSITIVE_INFINITY, isJudgedWhole = false } = view;
  const faults: string[] = [];
  const say = (fault: string) => faults.push(`${path}${act === undefined ? '' : ' (acted on)'}: ${fault}`);
  const options = { viewport: { width: wide, height }, colorScheme: 'light', reducedMotion: 'reduce' } as const;
  await withPage(browser, options, async (page, troubles) => {
    const bytes = await weigh(page, url + path);
    if (bytes.html > htmlMax) say(`${bytes.html} bytes of HTML`);
    if (bytes.script > Math.min(script + scriptOfEveryPage, scriptMax)) say(`${bytes.script} bytes of script`);
    if (script > 0 && bytes.script <= scriptOfEveryPage) say('the script it should have is not there');
    await act?.(page);
    const measure = async (width: number, state: string) => {
      await page.setViewportSize({ width, height });
      const shown = await sizeOf(page);
      if (shown.width > width) say(`${shown.width} wide at ${width} ${state}`);
    };
    const arrange = async (state: string) => {
      for (const width of [phone, desktop]) {
        await page.setViewportSize({ width, height });
        // Container queries follow a resize with the next frame.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        for (const fault of await layoutFaults(page)) say(`${fault}, at ${width} ${state}`);
      }
    };
    const judge = async (look: string, rules: readonly string[] | null, styles = '') => {
      for (const violation of await axeViolations(page, rules, styles)) say(`${look}: ${violation}`);
    };
    await measure(narrow, 'closed');
    await measure(wide, 'closed');
    await arrange('closed');
    const { height: shownHeight } = await sizeOf(page);
    if (shownHeight > heightMax) say(`${shownHeight} high at ${desktop}, of at most ${heightMax}`);
    const isOpened = (await openAll(page)) > 0;
    if (isOpened) await arrange('opened');
    await measure(wide, 'opened');
    await judge(`light ${wide}`, null);
    if (isOpened || isWhole) await measure(narrow, 'opened');
    if (isWhole) {
      await judge(`light ${narrow}`, isJudgedWhole ? null : rulesOfSize);
      for (const [family, shape] of Object.entries(fonts)) {
        await loadFont(page, family, createBoxFont(shape));
        await dress(page, inFont(family));
        for (const width of [wide, narrow]) await measure(width, `in a ${family}`);
        await judge(`${family} ${narrow}`, rulesOfSize, inFont(family));
      }
      await dress(page, '');
    }
    await page.setViewportSize({ width: wide, height });
    // Dark mode changes only colours, which the views of a page share.
    if (isWhole) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await judge(`dark ${wide}`, isJudgedWhole ? null : rulesOfColour);
    }
    // The browser logs an error for the status of the page.
    for (const trouble of troubles) if (!trouble.includes(`status of ${bytes.status} `)) say(trouble);
  });
  return faults;
}

/** Links and buttons that are too small or too close together at some letter width, on a desktop-width page. */
export async function targetsByWidthOfLetters(browser: Browser, url: string): Promise<string[]> {
  const faults: string[] = [];
  await withPage(browser, { viewport: { width: wide, height } }, async (page) => {
    await page.goto(url);
    for (let percent = 36; percent <= 62; percent += 4) {
      const family = `${percent} %`;
      await loadFont(page, family, createBoxFont({ ascent: 1.1, descent: 0.32, advance: percent / 100 }));
      for (const violation of await axeViolations(page, rulesOfSize, inFont(family)))
        faults.push(`letters of ${family}: ${violation}`);
    }
  });
  return faults;
}
