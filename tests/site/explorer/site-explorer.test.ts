/// <reference lib="dom" />
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFresh } from '../../setup/seed.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';

// The explorer with the published figures: without a script, and by mouse, touch and keyboard.

const start = '/explore?workload=8k-1k-steady&model=deepseek-r1';
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ SAMPLE_DATA: 'public' });
});
afterAll(async () => {
  await server?.dispose();
});

const get = async (path: string, status = 200) => {
  const response = await fetch(server.url + path);
  expect(response.status).toBe(status);
  return response.text();
};
const curvesOf = (html: string) => [...html.matchAll(/data-curve="([^"]*)"/g)].map(([, name]) => name);
const pointsOf = (html: string) => html.match(/class="target"/g)?.length ?? 0;

describe('without a script', () => {
  test('each GPU has a curve, and every point is a link with its figures as text', async () => {
    const html = await get(start);
    expect(curvesOf(html).length).toBeGreaterThanOrEqual(8);
    expect(html).toMatch(/aria-label="B200[^"]*: [\d,.]+ tok\/s at [\d,.]+ tok\/s, DeepSeek R1/);
  });

  // Curves of GPUs on different models do not compare the GPUs.
  test('GPUs are compared on the model with the most GPUs, unless all models are chosen', async () => {
    const titleOf = (html: string) => /<h2[^>]*id="explorer-title"[^>]*>([^<]*)</.exec(html)?.[1];
    const html = await get('/explore');
    const chosen =
      /<select[^>]* name="model"[\s\S]*?<option value="([^"]*)" selected[^>]*>\s*([^<]*?) \(([\d,]+) GPUs?\)\s*</.exec(
        html,
      );
    expect(titleOf(html)).toContain(`${chosen?.[2]}: output throughput per GPU over per-user speed`);
    expect(curvesOf(html)).toHaveLength(Number(chosen?.[3]));
    const [, points = ''] = /href="(\/v1\/pareto\?[^"]*)"/.exec(html) ?? [];
    expect(points).toContain(`model=${chosen?.[1]}`);
    expect(JSON.parse(await get(points.replaceAll('&amp;', '&'))).data).toHaveLength(pointsOf(html));
    const all = await get('/explore?model=all');
    expect(titleOf(all)).toMatch(/best model of each GPU$/);
    expect(pointsOf(all)).not.toBe(pointsOf(html));
  });

  test('a curve is hidden and shown alone with links', async () => {
    const html = await get(start);
    const [, hide] = /href="([^"]*)"[^>]*aria-label="Hide H200 SXM 141GB"/.exec(html) ?? [];
    const hidden = await get((hide ?? '').replaceAll('&amp;', '&'));
    expect(curvesOf(hidden)).toEqual(curvesOf(html).filter((name) => name !== 'H200 SXM 141GB'));
    const [, only] = /href="([^"]*)"[^>]*aria-label="only H200 SXM 141GB"/.exec(html) ?? [];
    expect(curvesOf(await get((only ?? '').replaceAll('&amp;', '&')))).toEqual(['H200 SXM 141GB']);
  });

  test('a limit ranks the curves, and interpolated values name both neighbours', async () => {
    const best = wordsOf(await get(`${start}&limit=60`));
    expect(best).toContain('Output throughput per GPU at 60 tok/s or more');
    expect(best).not.toContain('interpolated');
    expect(wordsOf(await get(`${start}&limit=60&curves=systems`))).toMatch(
      /≈ [\d,.]+ tok\/s interpolated between [\d,.]+ tok\/s at [\d,.]+ tok\/s, .*? and [\d,.]+ tok\/s at/,
    );
  });

  test('all points are drawn with the frontier', async () => {
    const whole = '/explore?workload=8k-1k-steady&model=all';
    const [best, all] = [await get(whole), await get(`${whole}&curves=points`)];
    const off = all.match(/<a [^>]*class="off"/g)?.length ?? 0;
    expect(off).toBeGreaterThan(100);
    expect(pointsOf(all)).toBe(pointsOf(best) + off);
    expect(curvesOf(all)).toEqual(curvesOf(best));
    // The curve is the frontier.
    const pathsOf = (html: string) =>
      [...html.matchAll(/class="line" d="([^"]*)"/g)].map(([, path]) => path?.split('L').length);
    expect(pathsOf(all)).toEqual(pathsOf(best));
    expect(wordsOf(all)).not.toContain('not drawn');
    const { data } = JSON.parse(await get(`/v1/pareto${start.slice('/explore'.length)}`));
    const ofModel = await get(`${start}&curves=points`);
    expect(pointsOf(ofModel)).toBe(data.length);
  });

  test('a zoom shows the points within it', async () => {
    const [all, part] = [await get(start), await get(`${start}&zoom=40,100,50,1000`)];
    expect(pointsOf(part)).toBeGreaterThan(0);
    expect(pointsOf(part)).toBeLessThan(pointsOf(all));
  });

  test('the frontier before a date uses figures measured or published before it', async () => {
    const march = await get(`${start}&until=2026-03-01`);
    expect(pointsOf(march)).toBeGreaterThan(0);
    expect(pointsOf(march)).toBeLessThan(pointsOf(await get(start)));
    expect(wordsOf(march)).toContain('Results measured before 2026-03-01');
    const table = /<tbody\b[\s\S]*?<\/tbody>/.exec(march)?.[0] ?? '';
    const days = [...table.matchAll(/, (20\d\d-\d\d-\d\d)/g)].map(([, day = '']) => day);
    expect(days.length).toBeGreaterThan(0);
    // A point with values from several days lists all their sources.
    const rows = table
      .split('<tr')
      .slice(1)
      .map((row) => [...row.matchAll(/run \d+, (20\d\d-\d\d-\d\d)/g)].map(([, day = '']) => day));
    for (const row of rows.filter(({ length }) => length > 0)) expect(row.some((day) => day < '2026-03-01')).toBe(true);
    expect(curvesOf(await get(`${start}&until=2020-01-01`))).toEqual([]);
    await get(`${start}&until=soon`, 422);
  });

  test('both axes offer TTFT, ITL and E2E latency at percentiles', async () => {
    const html = await get(start);
    for (const axis of ['y', 'x']) {
      const menu = new RegExp(`<select[^>]* name="${axis}"[\\s\\S]*?</select>`).exec(html)?.[0] ?? '';
      const offered = [...menu.matchAll(/<option value="([^"]*)"/g)].map(([, name]) => name);
      for (const family of ['ttft', 'itl', 'e2e'])
        for (const statistic of ['p50', 'p95', 'p99']) expect(offered).toContain(`${family}_ms_${statistic}`);
    }
    for (const x of ['ttft_ms_p99', 'itl_ms_p50', 'e2e_ms_p50'])
      expect(pointsOf(await get(`${start}&x=${x}`)), x).toBeGreaterThan(0);
  });

  test('cost and latency can be axes too, and an unknown metric returns an error', async () => {
    expect(pointsOf(await get(`${start}&y=usd_per_mtok_output&x=itl_ms_mean`))).toBeGreaterThan(0);
    expect(wordsOf(await get(`${start}&x=speed`, 422))).toContain('speed');
  });
});

describe('downloads of a chart', () => {
  test('CSV has a line for each point, with both units and the page of its system', async () => {
    const [heading, ...lines] = (await get(start.replace('/explore', '/explore.csv'))).trim().split('\r\n');
    expect(heading).toBe(
      'curve,y_metric,y_unit,y,y_n,y_ci95_low,y_ci95_high,x_metric,x_unit,x,x_n,x_ci95_low,x_ci95_high,system_id,detail,source,source_url,page',
    );
    expect(lines).toHaveLength(pointsOf(await get(start)));
    for (const line of lines) {
      expect(line).toMatch(/output_tok_s_per_gpu,tok\/s,[\d.]+,1,,,user_tok_s,tok\/s,[\d.]+,1,,,sys_\w+,/);
      expect(line).toMatch(/InferenceX.*,https:\/\/\S+,.*\/systems\/sys_\w+$/);
    }
  });

  test('SVG has the title, the units, the page and the date', async () => {
    const svg = await get(`${start.replace('/explore', '/explore.svg')}&limit=50`);
    const words = wordsOf(svg);
    expect(words).toContain('DeepSeek R1: output throughput per GPU over per-user speed, 8K→1K, steady');
    expect(words).toContain('Output throughput per GPU, tok/s');
    expect(words).toMatch(/Inferboard, http\S+\/explore\?workload=8k-1k-steady\S*, \d{4}-\d\d-\d\d/);
    expect(svg.match(/<path d="[^"]*" transform="[^"]*" fill="[^"]*"><title>/g)).toHaveLength(
      pointsOf(await get(start)),
    );
    // The dashes of the second curve, as on the page.
    expect(svg).toContain('stroke-dasharray="7 3"');
  });

  test('oEmbed returns the page to frame, only for charts of this site', async () => {
    const [, link] = /application\/json\+oembed" href="([^"]*)"/.exec(await get(`${start}&limit=50`)) ?? [];
    const answer = JSON.parse(await get(`${link?.replaceAll('&amp;', '&')}&maxwidth=500`));
    expect(answer).toMatchObject({ version: '1.0', type: 'rich', width: 500 });
    expect(answer.html).toMatch(
      /^<iframe src="http:\/\/[^"/]+\/embed\/explore\?workload=8k-1k-steady&amp;model=deepseek-r1&amp;limit=50"/,
    );
    await get(`/oembed?${new URLSearchParams({ url: 'http://elsewhere.example/explore' })}`, 404);
  });
});

describe.skipIf(chromiumPath === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const visit = (options: Parameters<typeof withPage>[1], act: (page: Page) => Promise<void>) =>
    withPage(browser, options, async (page, troubles) => {
      await page.goto(server.url + start);
      await page.locator('#explorer.live').waitFor();
      await act(page);
      expect(troubles).toEqual([]);
    });
  /** The displayed figure equals the server's figure for the URL. */
  const expectSameWithoutScript = async (page: Page) => {
    const { pathname, search } = new URL(page.url());
    const html = await get(pathname + search);
    const shown = await page
      .locator('[data-curve]')
      .evaluateAll((all) => all.map((each) => (each as SVGElement).dataset.curve));
    expect(shown).toEqual(curvesOf(html).map((name) => name?.replaceAll('&amp;', '&')));
    expect(await page.locator('.target').count()).toBe(pointsOf(html));
  };
  const waitForParameter = (page: Page, name: string) => page.waitForURL((url) => url.searchParams.has(name));

  test('the mouse zooms, moves the limit and pins a point, and Back undoes each step', async () => {
    await visit({ viewport: { width: 1280, height: 1000 } }, async (page) => {
      const frame = await page.locator('figure > svg').boundingBox();
      if (frame === null) throw new Error('no chart');
      const at = (x: number, y: number) => [frame.x + x * frame.width, frame.y + y * frame.height] as const;
      const all = await page.locator('.target').count();
      await page.mouse.move(...at(0.42, 0.72));
      await page.mouse.down();
      await page.mouse.move(...at(0.6, 0.4), { steps: 4 });
      expect(await page.locator('.selection').count()).toBe(1);
      await page.mouse.move(...at(0.85, 0.15), { steps: 4 });
      await page.mouse.up();
      await waitForParameter(page, 'zoom');
      await expect.poll(() => page.locator('.target').count()).toBeLessThan(all);
      await expectSameWithoutScript(page);
      await page.goBack();
      await expect.poll(() => page.locator('.target').count()).toBe(all);

      await page.getByLabel('Per-user speed at least').fill('50');
      await page.getByLabel('Per-user speed at least').press('Enter');
      await waitForParameter(page, 'limit');
      const bound = page.getByRole('slider', { name: 'Limit on Per-user speed' });
      const line = await bound.locator('.handle').boundingBox();
      if (line === null) throw new Error('no line');
      await page.mouse.move(line.x + line.width / 2, line.y + line.height / 2);
      await page.mouse.down();
      await page.mouse.move(line.x + line.width / 2 + 60, line.y + line.height / 2, { steps: 3 });
      await page.mouse.up();
      await page.waitForURL((url) => Number(url.searchParams.get('limit')) > 51);
      await expectSameWithoutScript(page);

      const point = page.locator('[data-curve] a').first();
      await point.hover();
      expect(await page.locator('.tip').textContent()).toContain('tok/s');
      await point.click();
      await waitForParameter(page, 'pin');
      expect(await page.getByLabel('Selected point').textContent()).toMatch(/n 1.*published.*InferenceX/s);
    });
  });

  test('the keyboard zooms, moves, resets, moves the limit, and toggles curves', async () => {
    await visit({ viewport: { width: 1280, height: 1000 } }, async (page) => {
      await page.locator('figure > svg').focus();
      await page.keyboard.press('+');
      await waitForParameter(page, 'zoom');
      const first = new URL(page.url()).searchParams.get('zoom');
      await page.keyboard.press('ArrowRight');
      await page.waitForURL((url) => url.searchParams.get('zoom') !== first);
      await expectSameWithoutScript(page);
      await page.keyboard.press('Escape');
      await page.waitForURL((url) => !url.searchParams.has('zoom'));

      await page.getByRole('link', { name: 'Hide H200 SXM 141GB' }).focus();
      await page.keyboard.press('Enter');
      await waitForParameter(page, 'hide');
      await expect.poll(() => page.getByRole('link', { name: 'Show H200 SXM 141GB', exact: true }).count()).toBe(1);

      await page.getByLabel('Per-user speed at least').fill('50');
      await page.keyboard.press('Enter');
      await waitForParameter(page, 'limit');
      const slider = page.getByRole('slider');
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForURL((url) => Number(url.searchParams.get('limit')) > 50);
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('slider');
      await expectSameWithoutScript(page);
    });
  });

  test('touch opens the card of a point', async () => {
    await visit({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
      await page.locator('[data-curve] a .target').first().tap();
      await waitForParameter(page, 'pin');
      await page.getByLabel('Selected point').waitFor();
    });
  });

  test('touch toggles curves, zooms, moves, and drags the limit', async () => {
    await visit({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
      await page.getByRole('link', { name: 'Hide H200 SXM 141GB' }).tap();
      await waitForParameter(page, 'hide');
      await page.getByRole('link', { name: 'Zoom in' }).tap();
      await waitForParameter(page, 'zoom');
      const first = new URL(page.url()).searchParams.get('zoom');
      await page.getByRole('link', { name: 'Right' }).tap();
      await page.waitForURL((url) => url.searchParams.get('zoom') !== first);
      await page.getByRole('link', { name: 'Reset zoom' }).tap();
      await page.waitForURL((url) => !url.searchParams.has('zoom'));
      await page.getByText('Axes, colours, limit and dates').tap();
      await page.getByLabel('Vertical scale').selectOption('linear');
      await waitForParameter(page, 'y_scale');
      // Open sections stay open.
      await page.getByLabel('Per-user speed at least').fill('50');
      await page.getByRole('button', { name: 'Draw' }).tap();
      await waitForParameter(page, 'limit');
      await page.locator('.bound').scrollIntoViewIfNeeded();
      const line = await page.locator('.bound .handle').boundingBox();
      if (line === null) throw new Error('no line');
      const [x, y] = [line.x + line.width / 2, line.y + line.height / 2];
      const touch = await page.context().newCDPSession(page);
      const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', by: number) =>
        touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: x + by, y }] });
      await send('touchStart', 0);
      for (const by of [10, 20, 30, 40]) await send('touchMove', by);
      await send('touchEnd', 40);
      await page.waitForURL((url) => Number(url.searchParams.get('limit')) > 51);
      await expectSameWithoutScript(page);
    });
  });

  test('the keyboard isolates a curve, selects axes and scales, and pins a point', async () => {
    await visit({ viewport: { width: 1280, height: 1000 } }, async (page) => {
      await page.getByRole('link', { name: 'only H200 SXM 141GB' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Show all' }).waitFor();
      expect(await page.locator('[data-curve]').count()).toBe(1);
      await page.getByRole('link', { name: 'Show all' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => !url.searchParams.has('hide'));
      await page.getByLabel('Vertical scale').focus();
      await page.keyboard.press('l');
      await waitForParameter(page, 'y_scale');
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('explorer-y_scale');
      await page.locator('[data-curve] a').first().focus();
      expect(await page.locator('.tip').textContent()).toContain('tok/s');
      await page.keyboard.press('Enter');
      await page.getByLabel('Selected point').waitFor();
      await expectSameWithoutScript(page);
      await page.keyboard.press('Escape');
      await page.waitForURL((url) => !url.searchParams.has('pin'));
    });
  });

  test.each([
    ['/', 'H200'],
    ['/models/deepseek-r1', 'H200 SXM 141GB'],
    ['/gpus/h100', 'Qwen3 14B'],
  ])('the curves of %s are explored on the page', async (path, name) => {
    await withPage(browser, { viewport: { width: 1280, height: 1000 } }, async (page, troubles) => {
      await page.goto(server.url + path);
      await page.locator('#explorer.live').waitFor();
      await page.getByRole('link', { name: `only ${name}`, exact: true }).click();
      await page.getByRole('link', { name: 'Show all' }).waitFor();
      expect(new URL(page.url()).pathname).toBe(path);
      const link = await page.locator('.permalink').getAttribute('href');
      const html = await get(link ?? '');
      expect(curvesOf(html)).toEqual([name]);
      expect(await page.locator('.target').count()).toBe(pointsOf(html));
      expect(troubles).toEqual([]);
    });
  });

  test('without a script each control of the curves of / opens the same explorer state', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(server.url);
      expect(await page.locator('[data-curve]').count()).toBeGreaterThan(1);
      await page.getByRole('link', { name: 'only H200', exact: true }).click();
      expect(await page.locator('[data-curve]').count()).toBe(1);
      expect(new URL(page.url()).pathname).toBe('/explore');
      await page.getByRole('link', { name: 'Zoom in' }).click();
      expect(new URL(page.url()).searchParams.has('zoom')).toBe(true);
    });
  });

  const states = [
    '&zoom=40,100,50,1000',
    '&limit=60&curves=systems',
    '&hide=H200+SXM+141GB&y_scale=linear&x_scale=log',
    '&by=engine&y=tok_per_joule&x=ttft_ms_p99',
    '&pin=POINT&zoom=40,100,50,1000&limit=60',
  ];
  test.each(isFresh ? states : states.slice(-2))('axe finds no violations in the state %s', async (state) => {
    const point = /pin=(sys_[^"&]+)/.exec(await get(start))?.[1] ?? '';
    for (const width of [390, 1280])
      await withPage(browser, { viewport: { width, height: 900 } }, async (page) => {
        await page.goto(server.url + start + state.replace('POINT', point));
        await page.locator('#explorer.live').waitFor();
        expect(await axeViolations(page, null, '')).toEqual([]);
      });
  });

  test('another axis is drawn without leaving the page', async () => {
    await visit({ viewport: { width: 1280, height: 1000 } }, async (page) => {
      await page.evaluate(() => document.body.setAttribute('data-stays', 'yes'));
      await page.getByLabel('Horizontal axis').selectOption('itl_ms_mean');
      await page.waitForURL((url) => url.searchParams.get('x') === 'itl_ms_mean');
      await page.getByRole('heading', { name: /over mean ITL|over ITL|ITL/ }).waitFor();
      expect(await page.evaluate(() => document.body.dataset.stays)).toBe('yes');
      await expectSameWithoutScript(page);
    });
  });

  test.each([true, false])(
    'a new axis drops the old limit, and a new colour the hidden names; with a script: %s',
    async (has) => {
      await withPage(browser, { viewport: { width: 1280, height: 1000 }, javaScriptEnabled: has }, async (page) => {
        const [, hidden = ''] = /href="([^"]*)"[^>]*aria-label="Hide H200 SXM 141GB"/.exec(await get(start)) ?? [];
        await page.goto(`${server.url}${hidden.replaceAll('&amp;', '&')}&limit=50`);
        if (has) await page.locator('#explorer.live').waitFor();
        const draw = async () => {
          if (!has) await page.getByRole('button', { name: 'Draw' }).click();
        };
        await page.getByLabel('Horizontal axis').selectOption('itl_ms_mean');
        await draw();
        await page.waitForURL((url) => url.searchParams.get('x') === 'itl_ms_mean');
        expect(new URL(page.url()).searchParams.get('limit')).toBeNull();
        expect(new URL(page.url()).searchParams.get('hide')).toBe('H200 SXM 141GB');
        await page.getByLabel('ITL at most').waitFor();
        await page.getByLabel('Colour').selectOption('engine');
        await draw();
        await page.waitForURL((url) => url.searchParams.get('by') === 'engine');
        expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
          ...{ workload: '8k-1k-steady', model: 'deepseek-r1' },
          ...{ x: 'itl_ms_mean', by: 'engine' },
        });
      });
    },
  );

  test('a page of another origin can frame a chart, and no other page of the site', async () => {
    const framed = [`/embed${start}&limit=50`, start, '/'].map(
      (path) => `<iframe src="${server.url}${path}"></iframe>`,
    );
    const other = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(framed.join(''));
    }).listen(0, '127.0.0.2');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      await withPage(browser, {}, async (page) => {
        await page.goto(`http://127.0.0.2:${port}/`, { waitUntil: 'load' });
        const headings = await Promise.all(
          page
            .frames()
            .slice(1)
            .map((frame) => frame.locator('#explorer-title').count()),
        );
        expect(headings).toEqual([1, 0, 0]);
      });
    } finally {
      other.close();
    }
  });
});
