/// <reference lib="dom" />
import { execFileSync } from 'node:child_process';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

function findChromium(): string | null {
  try {
    return execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser || command -v google-chrome'])
      .toString()
      .trim();
  } catch {
    return null;
  }
}

/** Where the machine's Chromium is; null where it has none. */
export const chromiumPath = findChromium();
if (chromiumPath === null) {
  console.warn(
    'Skipped: the tests in a browser need Chromium, and this machine has none (`apt-get install chromium`).',
  );
}

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath ?? '', args: flags });

/** A page of its own; `troubles` gathers what it logs as an error, broken security policies among it. */
export async function withPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  visit: (page: Page, troubles: string[]) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    // The browser itself logs the status of a page that is meant to have one.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) troubles.push(message.text());
  });
  try {
    return await visit(page, troubles);
  } finally {
    await context.close();
  }
}

/** What axe-core finds on the open page, one line a rule. The page must have been opened with `bypassCSP`. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Contrast on a gradient cannot be judged: without the shade at the edges of tables it can.
  await page.addStyleTag({ content: '.scroll { background: var(--surface) !important }' });
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 200))
          .join(' | ')}`,
    );
  });
}

/** The four ways in which every page must hold. */
export const looks = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 320],
  ['dark', 320],
] as const;

/** A page's words as its reader sees them, without tags. */
export function wordsOf(html: string): string {
  return html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** Goes through pages in all four looks: nothing for axe, no page scrolling sideways, nothing in the log. */
export async function faultsOf(browser: Browser, url: string, paths: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [colorScheme, width] of looks) {
    await withPage(browser, { colorScheme, viewport: { width, height: 900 }, bypassCSP: true }, async (page) => {
      for (const path of paths) {
        await page.goto(url + path);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) faults.push(`${path} is ${wide} wide at ${width}`);
        for (const violation of await axeViolations(page))
          faults.push(`${path}, ${colorScheme} ${width}: ${violation}`);
      }
    });
  }
  await withPage(browser, {}, async (page, troubles) => {
    for (const path of paths) await page.goto(url + path);
    faults.push(...troubles);
  });
  return faults;
}
