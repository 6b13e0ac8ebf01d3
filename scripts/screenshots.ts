// Pictures of the main pages for the README, light, dark and on a phone: npm run screenshots [-- --only report].
// They are of the whole product. The first page and those of a model, a GPU and a quantization show the published figures, the
// board and the paste box the sample data; the report, the comparison and the matrix what browser tests submit: few of those
// figures were measured by anybody.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumPath, launchBrowser } from '../tests/support/browser.ts';
import { artifact, pasted } from '../tests/support/page-types.ts';
import { startReportServer } from '../tests/support/reports.ts';
import { adminKey, startTestServer } from '../tests/support/server.ts';
import { submitLoadSeries, submitServingGrid } from '../tests/support/serving-grid.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));

/** All pictures together, bytes: a clone should not wait for them. */
const bytesMax = 1_600_000;
const quality = 36;

interface Shot {
  name: string;
  path: string;
  /** Pixels of the page that are shown, from its top or from an element. */
  height: number;
  from?: string;
  act?: (page: Page) => Promise<void>;
}

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 },
};

/** What a picture must not depend on. */
const steady: BrowserContextOptions = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' };

async function take(browser: Browser, url: string, look: string, shots: readonly Shot[]): Promise<number> {
  const context = await browser.newContext({ ...steady, ...looks[look] });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  for (const { name, path, height, from, act } of shots) {
    const response = await page.goto(url + path);
    if (!response?.ok()) throw new Error(`${path}: ${response?.status()}`);
    await act?.(page);
    await page.evaluate('document.fonts.ready');
    const box = from === undefined ? null : await page.locator(from).first().boundingBox();
    const { width = 0 } = page.viewportSize() ?? {};
    const y = Math.max(0, Math.round(box?.y ?? 0) - (box === null ? 0 : 12));
    // A page of 900 pixels is what a screen shows at once: 844 of a phone.
    const shown = look === 'phone' ? Math.max(844, Math.round(height * 0.9)) : height;
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality,
      captureBeyondViewport: true,
      clip: { x: 0, y, width, height: shown, scale: 1 },
    });
    const file = `${folder}${name}-${look}.webp`;
    await writeFile(file, Buffer.from(data, 'base64'));
    const { size } = await stat(file);
    console.log(`${name}-${look}.webp  ${Math.round(size / 1024)} KB`);
    bytes += size;
  }
  await context.close();
  return bytes;
}

if (chromiumPath === null) throw new Error('Pictures need Chromium: apt-get install chromium');
// The address that commands on the pages name, whatever port is free today.
const address = { PUBLIC_URL: 'http://localhost:8787' };
const { server, grid } = await startReportServer(address);
const browser = await launchBrowser();
let bytes = 0;
const takeAll = async (shots: readonly Shot[], url = server.url) => {
  const wanted = shots.filter(({ name }) => name.includes(values.only));
  for (const look of Object.keys(looks)) bytes += await take(browser, url, look, wanted);
};
try {
  await mkdir(folder, { recursive: true });
  await takeAll([
    { name: 'board', path: '/?scenario=decode-bound', height: 1080 },
    { name: 'report', path: `/systems/${grid}`, height: 1100 },
    { name: 'burst', path: `/systems/${grid}`, height: 760, from: '#burst' },
    { name: 'submit', path: '/submit', height: 1000, act: pasted(artifact, '#understood section') },
  ]);
  // Only now: the board and the question are answered by the sample data alone.
  await submitServingGrid(server.url, adminKey);
  const series = await submitLoadSeries(server.url, adminKey);
  await takeAll([
    { name: 'compare', path: `/compare?ids=${series.join(',')}`, height: 1150 },
    { name: 'matrix', path: '/matrix?view=grid', height: 900 },
  ]);
  const fresh = await startTestServer({ ...address, SAMPLE_DATA: 'true' });
  try {
    await takeAll(
      [
        { name: 'home', path: '/', height: 900 },
        { name: 'model', path: '/models/deepseek-r1', height: 900 },
        { name: 'gpu', path: '/gpus/b200-sxm?scenario=1k-1k', height: 900 },
        { name: 'quantization', path: '/quantizations/fp8?scenario=1k-1k', height: 900 },
      ],
      fresh.url,
    );
  } finally {
    await fresh.dispose();
  }
  console.log(`${Math.round(bytes / 1024)} KB of at most ${Math.round(bytesMax / 1024)} KB`);
  if (bytes > bytesMax) process.exitCode = 1;
} finally {
  await browser.close();
  await server.dispose();
}
