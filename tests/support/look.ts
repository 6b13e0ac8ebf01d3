/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { createBoxFont, type FontShape } from './box-font.ts';
import { axeViolations, dress, loadFont, rulesOfColour, rulesOfSize, withPage } from './browser.ts';
import { htmlMax, scriptMax, scriptOfEveryPage, type View } from './page-types.ts';

const [narrow, wide] = [320, 1280];
const height = 900;

/** A reader's system may have any font: a low and narrow one, such as EB Garamond, or a high and wide one, such as Noto Sans. */
const fonts: Readonly<Record<string, FontShape>> = {
  'low and narrow font': { ascent: 0.8, descent: 0.2, advance: 0.4 },
  'high and wide font': { ascent: 1.1, descent: 0.32, advance: 0.58 },
};
const inFont = (family: string) => `:root { --font: "${family}", monospace; --mono: "${family}", monospace }`;

/** Pixels that the page is wide, what lies beyond the window included. */
const pageWidth = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

/** Opens whatever a reader can open, so that nothing is hidden from the tests. */
const openAll = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });

/** Goes to a page. Bytes as they were sent, by what they were sent for, and its status. */
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
 * Everything that is wrong with a view, in light and dark, at 320 and 1280 pixels and in two fonts that differ as fonts do: what axe-core
 * finds, a page that scrolls sideways, more bytes than it may take, and what the browser logs, broken security policies among it.
 */
export async function faultsOfView(browser: Browser, url: string, { path, act, script = 0 }: View): Promise<string[]> {
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
      const shown = await pageWidth(page);
      if (shown > width) say(`${shown} wide at ${width} ${state}`);
    };
    const judge = async (look: string, rules: readonly string[] | null, styles = '') => {
      for (const violation of await axeViolations(page, rules, styles)) say(`${look}: ${violation}`);
    };
    await measure(narrow, 'closed');
    await measure(wide, 'closed');
    await openAll(page);
    await measure(wide, 'opened');
    await judge(`light ${wide}`, null);
    await measure(narrow, 'opened');
    await judge(`light ${narrow}`, null);
    for (const [family, shape] of Object.entries(fonts)) {
      await loadFont(page, family, createBoxFont(shape));
      await dress(page, inFont(family));
      for (const width of [narrow, wide]) {
        await measure(width, `in a ${family}`);
        await judge(`${family} ${width}`, rulesOfSize, inFont(family));
      }
    }
    await dress(page, '');
    await page.setViewportSize({ width: narrow, height });
    // Only colours differ in the dark.
    await page.emulateMedia({ colorScheme: 'dark' });
    await judge(`dark ${narrow}`, rulesOfColour);
    await page.setViewportSize({ width: wide, height });
    await judge(`dark ${wide}`, rulesOfColour);
    // The browser itself logs the status of the page.
    for (const trouble of troubles) if (!trouble.includes(`status of ${bytes.status} `)) say(trouble);
  });
  return faults;
}

/** Links and buttons that are too small or too near at some width of letters, on a page as wide as a desk's screen. */
export async function targetsByWidthOfLetters(browser: Browser, url: string): Promise<string[]> {
  const faults: string[] = [];
  await withPage(browser, { viewport: { width: wide, height } }, async (page) => {
    await page.goto(url);
    for (let percent = 36; percent <= 62; percent += 2) {
      const family = `${percent} %`;
      await loadFont(page, family, createBoxFont({ ascent: 1.1, descent: 0.32, advance: percent / 100 }));
      for (const violation of await axeViolations(page, rulesOfSize, inFont(family)))
        faults.push(`letters of ${family}: ${violation}`);
    }
  });
  return faults;
}
