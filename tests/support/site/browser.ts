/// <reference lib="dom" />
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
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

/** Path of the machine's Chromium; null if it is not installed. */
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

/** A new page; `troubles` collects its console errors, including security policy violations. */
export async function withPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  visit: (page: Page, troubles: string[]) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    // The browser logs an error for the page's intended status.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) troubles.push(message.text());
  });
  try {
    return await visit(page, troubles);
  } finally {
    await context.close();
  }
}

/** Every page that is checked runs this script: the small file is read faster. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** axe rules that depend on colours. Only these run again in the other colour scheme. */
export const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/** axe rules that depend on the font size. */
export const rulesOfSize = ['target-size'];

/** Replaces the test's additional styles of the page. */
export async function dress(page: Page, styles: string): Promise<void> {
  await page.evaluate((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
  }, styles);
}

/** Adds a font to a page, regardless of its security policy for fonts. */
export async function loadFont(page: Page, family: string, font: Buffer): Promise<void> {
  const load = async ([name = '', data = '']: string[]) => {
    const face = new FontFace(name, Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)).buffer);
    document.fonts.add(await face.load());
  };
  await page.evaluate(load, [family, font.toString('base64')]);
}

/**
 * axe-core violations on the open page, one line for each rule.
 *
 * @param rules limits the check to these rules, if the others were checked before
 * @param styles additional styles, such as another font
 */
export async function axeViolations(
  page: Page,
  rules: readonly string[] | null = null,
  styles = '',
): Promise<string[]> {
  // Contrast on a gradient cannot be checked, so this removes the shade at the edges of tables.
  await dress(page, `.scroll { background: var(--surface) !important } ${styles}`);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(
    async (runOnly) => {
      const found = await (globalThis as unknown as { axe: typeof axe }).axe.run({
        resultTypes: ['violations'],
        // Part of WCAG 2.2 AA, but disabled by default in axe.
        ...(runOnly === null ? { rules: { 'target-size': { enabled: true } } } : { runOnly }),
      });
      return found.violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html }) => html.slice(0, 200))
            .join(' | ')}`,
      );
    },
    rules === null ? null : [...rules],
  );
}

/** The visible text of a page. */
export function wordsOf(html: string): string {
  return html
    .replace(/<(script|style|title)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}
