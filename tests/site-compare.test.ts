import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchBrowser, withPage, wordsOf } from './support/browser.ts';
import { adminKey, startTestServer, type TestServer } from './support/server.ts';
import { submitLoadSeries } from './support/serving-grid.ts';

interface Comparison {
  differences: { field: string; values: (string | null)[] }[];
  points: {
    scenario: { id: string };
    metrics: {
      metric: string;
      figures: ({ value: number; compared: { ratio: number; interval: [number, number] | null } | null } | null)[];
    }[];
  }[];
}

let server: TestServer;
/** The seven quantizations of one model, the unquantized one first. */
let ids: string[] = [];
/** One model under eight power limits. */
let limits: string[] = [];
/** Two engines under five loads. */
let series: string[] = [];

const ask = async <T>(path: string): Promise<T> => (await (await fetch(server.url + path)).json()) as T;
const htmlOf = async (path: string) => (await fetch(server.url + path)).text();
const textOf = async (path: string) => wordsOf(await htmlOf(path));

beforeAll(async () => {
  server = await startTestServer();
  const { data } = await ask<{ data: { system: { id: string } }[] }>(
    '/v1/best?subject=quantization&scenario=decode-bound&rank_by=decode_tok_s',
  );
  ids = data.map(({ system }) => system.id).toReversed();
  const systems = await ask<{ data: { id: string }[] }>('/v1/systems?model=llama-2-7b');
  limits = systems.data.map(({ id }) => id);
  series = await submitLoadSeries(server.url, adminKey);
});
afterAll(async () => {
  await server?.dispose();
});

const pathOf = (chosen: readonly string[], more = '') => `/compare?ids=${chosen.join(',')}${more}`;

describe('a comparison', () => {
  test('of two: what differs first, then every figure with its ratio and interval', async () => {
    const chosen = [ids[0] ?? '', ids[6] ?? ''];
    const { points, differences } = await ask<Comparison>(
      `/v1/compare?${chosen.map((id) => `system=${id}`).join('&')}`,
    );
    const text = await textOf(pathOf(chosen));
    expect(text.indexOf('What differs')).toBeGreaterThan(0);
    expect(text.indexOf('What differs')).toBeLessThan(text.indexOf('Point by point'));
    for (const { values } of differences) for (const value of values) if (value !== null) expect(text).toContain(value);
    const speed = points
      .find(({ scenario }) => scenario.id === 'decode-bound')
      ?.metrics.find(({ metric }) => metric === 'decode_tok_s')?.figures;
    expect(text).toContain(`${speed?.[0]?.value.toFixed(2)} ± `);
    expect(text).toContain(`${speed?.[1]?.compared?.ratio.toFixed(4)}×`);
    expect(text).toContain(speed?.[1]?.compared?.interval?.map((end) => end.toFixed(4)).join(' to '));
    expect(text).toContain('better');
    // The base batch scatters so much that nothing can be said.
    expect(text).toContain('no difference shown');
  });

  test('of six shows all of them, each with a letter, and can be based on another', async () => {
    const chosen = ids.slice(0, 6);
    const html = await htmlOf(pathOf(chosen));
    for (const id of chosen) expect(html).toContain(`href="/systems/${id}"`);
    expect(wordsOf(html)).toContain('6 systems side by side');
    expect(html.match(/make baseline/g)).toHaveLength(5);
    expect(html).toContain(`href="/compare?ids=${[chosen[5], ...chosen.slice(0, 5)].join(',')}"`);
  });

  test('recipes of one format differ in what is told first', async () => {
    const systems = await ask<{ data: { id: string; quantization: { name: string } }[] }>('/v1/systems?engine=sglang');
    const idOf = (name: string) => systems.data.find(({ quantization }) => quantization.name === name)?.id ?? '';
    const text = await textOf(pathOf([idOf('w8a8_smooth_gptq'), idOf('w8a8_smooth_ptq')]));
    expect(text).toMatch(/Quantization recipe\s*smooth, gptq\s*smooth, ptq/);
  });

  test('a scatter that a tool states keeps the n it did not state', async () => {
    const text = await textOf(pathOf(limits.slice(0, 2)));
    expect(text).toContain('GPU power limit (W)');
    expect(text).toContain('n not stated');
    expect(text).not.toContain('n 1');
  });

  test('begins with one sentence: how many times as fast, its interval, and at how many loads', async () => {
    const text = await textOf(pathOf(series));
    const said = /([AB]) is (\d\.\d+)× \((\d\.\d+) to (\d\.\d+)\) faster per user than [AB] at 5 of 5 loads\./.exec(
      text,
    );
    expect(said?.[1]).toBe('B');
    expect(Number(said?.[2])).toBeCloseTo(1.25, 2);
    expect(Number(said?.[3])).toBeLessThan(1.25);
    expect(Number(said?.[4])).toBeGreaterThan(1.25);
    expect(said?.index).toBeLessThan(text.indexOf('What differs'));
  });

  test('says that intervals are unknown instead of claiming a difference', async () => {
    const text = await textOf(pathOf(limits.slice(0, 2)));
    expect(text).toContain('but the intervals are unknown, so a difference is not shown.');
  });

  test('under several loads has one chart for each workload, with all systems, what differs, and intervals', async () => {
    const html = await htmlOf(pathOf(series, '&metric=ttft_ms_mean'));
    const chart = html.slice(html.indexOf('id="workload-1-title"'), html.indexOf('Open in explorer'));
    const text = wordsOf(chart);
    expect(text).toContain('Chatbot, steady');
    expect(text).toContain('TTFT, ms');
    expect(text).toContain('Per-user speed, tok/s');
    expect(text).toMatch(/A vLLM\s+B SGLang/);
    // 80 x 4^0.9 x 0.8, over three runs.
    const { points } = await ask<Comparison>(`/v1/compare?${series.map((id) => `system=${id}`).join('&')}`);
    expect(points).toHaveLength(5);
    expect(html.match(/class="error[ "]/g)?.length).toBeGreaterThanOrEqual(10 + 5);
    expect(chart.match(/class="line[ "]/g)?.length).toBe(2);
    const [, explore = ''] = /href="(\/explore\?[^"]*)"[^>]*>Open in explorer/.exec(html) ?? [];
    const explored = await htmlOf(explore.replaceAll('&amp;', '&').replaceAll('&#38;', '&'));
    for (const id of series) expect(explored).toContain(`pin=${id}`);
  });

  test('folds its tables', async () => {
    const html = await htmlOf(pathOf(series));
    for (const [table] of html.matchAll(/<section id="point-\d+"/g)) {
      const before = html.slice(0, html.indexOf(table));
      expect(before.lastIndexOf('<details'), table).toBeGreaterThan(before.lastIndexOf('</details>'));
    }
  });

  test('of what shares no workload says so and compares nothing', async () => {
    const text = await textOf(pathOf([ids[0] ?? '', limits[0] ?? '']));
    expect(text).toContain('Nothing to set side by side');
    expect(text).toContain('measured on one of them alone');
  });

  test('takes the filters of every read', async () => {
    const text = await textOf(pathOf(ids.slice(0, 2), '&scenario=decode-bound'));
    expect(text).toContain('decode-bound · batch 1');
    expect(text).not.toContain('high-concurrency');
  });
});

describe('what is refused', () => {
  test.each([
    ['one', () => ids.slice(0, 1)],
    ['seven', () => ids],
  ])('%s: the page says what to do, and keeps what was chosen', async (_, chosen) => {
    const response = await fetch(server.url + pathOf(chosen()));
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toContain('2 to 6 times');
    expect(html.match(/ checked[ >=]/g)?.length).toBe(chosen().length);
  });

  test('a system that does not exist', async () => {
    const response = await fetch(server.url + pathOf([ids[0] ?? '', 'sys_nobody']));
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.text()).toContain('sys_nobody');
  });
});

describe('addresses', () => {
  test('boxes of a form, and the API’s own parameters, become the one address', async () => {
    const [a = '', b = ''] = ids;
    for (const search of [`ids=${a}&ids=${b}`, `system=${a}&system=${b}`, `ids=${a},${b}&scenario=`]) {
      const response = await fetch(`${server.url}/compare?${search}`, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')], search).toEqual([302, `/compare?ids=${a},${b}`]);
    }
  });

  test('the data behind the page is offered as JSON and CSV', async () => {
    const html = await htmlOf(pathOf(ids.slice(0, 2)));
    const [a, b] = ids;
    expect(html).toContain(`href="/v1/compare?system=${a}&#38;system=${b}"`.replace('&#38;', '&amp;'));
    const csv = /<link rel="alternate" type="text\/csv" href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    const lines = (await (await fetch(server.url + csv)).text()).trimEnd().split('\r\n');
    const { points } = await ask<Comparison>(`/v1/compare?system=${a}&system=${b}`);
    const figures = points.flatMap(({ metrics }) => metrics.flatMap((metric) => metric.figures.filter(Boolean)));
    expect(lines).toHaveLength(1 + figures.length);
    expect(lines.filter((line) => line.includes('decode-bound,256,512,batch,1,decode_tok_s,tok/s,'))).toHaveLength(2);
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

  test('systems are narrowed and chosen without JavaScript', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/compare`);
      await page.getByLabel('Model', { exact: true }).selectOption('llama-2-7b');
      await page.getByRole('button', { name: 'Narrow the list' }).click();
      expect(page.url()).toContain('model=llama-2-7b');
      const boxes = page.locator('input[name="ids"][type="checkbox"]');
      expect(await boxes.count()).toBe(8);
      await boxes.nth(0).check();
      await boxes.nth(7).check();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      expect(await page.locator('h1').textContent()).toBe('2 systems side by side');
    });
  });

  test('systems are ticked on a board and compared without JavaScript', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/?scenario=chatbot`);
      const boxes = page.locator('.board input[name="ids"]');
      expect(await boxes.count()).toBe(await page.locator('.board tbody tr').count());
      await boxes.nth(0).check();
      await boxes.nth(1).check();
      const chosen = await boxes.evaluateAll((all) => all.slice(0, 2).map((box) => (box as HTMLInputElement).value));
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      expect(new URL(page.url()).searchParams.get('ids')).toBe(chosen.join(','));
      expect(await page.locator('h1').textContent()).toBe('2 systems side by side');
    });
  });

  test('the first of the ready-made comparisons opens', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page, troubles) => {
      await page.goto(`${server.url}/compare`);
      await page.locator('section:has(#suggestions-title) a').first().click();
      expect(await page.locator('h1').textContent()).toMatch(/^[2-6] systems side by side$/);
      expect(troubles).toEqual([]);
    });
  });
});
