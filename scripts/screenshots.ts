// Screenshots of the main pages for the README, light, dark and on a phone: npm run screenshots [-- --only report].
// They show the complete product. The home page, the explorer and the pages of a model, a GPU and a quantization show the
// published figures, the board and the paste box the sample data. The report, the comparison and the matrix show the browser
// tests' data, which are mostly synthetic. The run and the report of `measure` show measurements of the fake model server.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startFakeServer } from '../packages/loadgen/src/fake-server/fake-server.ts';
import { finishRun, runSettings } from '../tests/support/finished-run.ts';
import { createMeasureCommand } from '../tests/support/measure-command.ts';
import { startReportServer } from '../tests/support/reports.ts';
import { adminKey, startTestServer } from '../tests/support/server.ts';
import { submitLoadSeries, submitServingGrid } from '../tests/support/serving-grid.ts';
import { chromiumPath, launchBrowser } from '../tests/support/site/browser.ts';
import { artifact, pasted } from '../tests/support/site/page-types.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));

/** Maximum total size of all screenshots, bytes, to keep clones fast. */
const bytesMax = 2_000_000;
const quality = 36;

interface Shot {
  name: string;
  path: string;
  /** Height of the screenshot in pixels, from the top of the page or of an element. */
  height: number;
  from?: string;
  act?: (page: Page) => Promise<void>;
}

const looks: Record<string, BrowserContextOptions> = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 },
};

/** Fixed properties of all screenshots. */
const steady: BrowserContextOptions = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' };

async function take(browser: Browser, url: string, look: string, shots: readonly Shot[]): Promise<number> {
  const context = await browser.newContext({ ...steady, ...looks[look] });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  for (const { name, path, height, from, act } of shots) {
    const response = await page.goto(url + path);
    // A file has no status.
    if (!response?.ok() && !url.startsWith('file:')) throw new Error(`${path}: ${response?.status()}`);
    await act?.(page);
    await page.evaluate('document.fonts.ready');
    const box = from === undefined ? null : await page.locator(from).first().boundingBox();
    const { width = 0 } = page.viewportSize() ?? {};
    const y = Math.max(0, Math.round(box?.y ?? 0) - (box === null ? 0 : 12));
    // The viewport is 900 pixels high, or 844 on a phone.
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
// The URL in commands on the pages, independent of the current port.
const address = { PUBLIC_URL: 'http://localhost:8787' };
const { server, grid } = await startReportServer({ ...address, ...runSettings });
const browser = await launchBrowser();
let bytes = 0;
const takeAll = async (shots: readonly Shot[], url = server.url) => {
  const wanted = shots.filter(({ name }) => name.includes(values.only));
  for (const look of Object.keys(looks)) bytes += await take(browser, url, look, wanted);
};
/** The page of a managed run with the server's metrics, and the HTML report of `measure`. */
const takeMeasured = async () => {
  const measure = await createMeasureCommand();
  const options = { ttftMs: 60, itlMs: 8, slowdown: 0.05, slots: 6 };
  const fake = await startFakeServer({ ...options, model: 'meta-llama/Llama-3.1-8B-Instruct' }, { isSilent: true });
  try {
    await takeAll([{ name: 'run', path: `/runs/${await finishRun(server.url, fake)}`, height: 1100 }]);
    const { url } = await measure.serve(options);
    const load = ['--concurrency', '1,2,4,8', '--input-tokens', '64', '--output-tokens', '32', '--requests', '48'];
    const { code, errors } = await measure.run(['--url', url, ...load, '--report', 'measure.html']);
    if (code !== 0) throw new Error(errors);
    await takeAll([{ name: 'measure', path: '/measure.html', height: 1100 }], pathToFileURL(measure.folder).href);
  } finally {
    await fake.close();
    await measure.dispose();
  }
};
try {
  await mkdir(folder, { recursive: true });
  await takeAll([
    { name: 'board', path: '/?scenario=decode-bound', height: 1080 },
    { name: 'report', path: `/systems/${grid}`, height: 1100 },
    { name: 'burst', path: `/systems/${grid}`, height: 760, from: '#burst' },
    { name: 'submit', path: '/submit', height: 1000, act: pasted(artifact, '#understood section') },
  ]);
  // Added only now, because the board and the question must use only the sample data.
  await submitServingGrid(server.url, adminKey);
  const series = await submitLoadSeries(server.url, adminKey);
  await takeAll([
    { name: 'compare', path: `/compare?ids=${series.join(',')}`, height: 1150 },
    { name: 'matrix', path: '/matrix?view=grid', height: 900 },
  ]);
  if (['run', 'measure'].some((name) => name.includes(values.only))) await takeMeasured();
  const fresh = await startTestServer({ ...address, SAMPLE_DATA: 'true' });
  try {
    await takeAll(
      [
        { name: 'home', path: '/', height: 900 },
        { name: 'explore', path: '/explore', height: 1000 },
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
