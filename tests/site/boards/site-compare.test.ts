import { findQuantization } from '@inferboard/core/catalogue/index';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { submitLoadSeries } from '../../support/serving-grid.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';

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
/** One model at eight power limits. */
let limits: string[] = [];
/** Two engines at five loads. */
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
  test('of two systems lists differences first, then every figure with its ratio and interval', async () => {
    const chosen = [ids[0] ?? '', ids[6] ?? ''];
    const { points, differences } = await ask<Comparison>(
      `/v1/compare?${chosen.map((id) => `system=${id}`).join('&')}`,
    );
    const text = await textOf(pathOf(chosen));
    expect(text.indexOf('What differs')).toBeGreaterThan(0);
    expect(text.indexOf('What differs')).toBeLessThan(text.indexOf('Point by point'));
    const named = differences.flatMap(({ values }) => values.filter((value) => value !== null));
    for (const value of named) expect(text).toContain(findQuantization(value)?.name ?? value);
    const speed = points
      .find(({ scenario }) => scenario.id === 'decode-bound')
      ?.metrics.find(({ metric }) => metric === 'decode_tok_s')?.figures;
    expect(text).toContain(`${speed?.[0]?.value.toFixed(2)} ± `);
    expect(text).toContain(`${speed?.[1]?.compared?.ratio.toFixed(4)}×`);
    expect(text).toContain(speed?.[1]?.compared?.interval?.map((end) => end.toFixed(4)).join(' to '));
    expect(text).toContain('better');
    // The base batch varies too much for a verdict.
    expect(text).toContain('no difference shown');
  });

  test('of six systems shows all of them, each with a letter, and can use another baseline', async () => {
    const chosen = ids.slice(0, 6);
    const html = await htmlOf(pathOf(chosen));
    for (const id of chosen) expect(html).toContain(`href="/systems/${id}"`);
    expect(wordsOf(html)).toContain('6 systems side by side');
    expect(html.match(/make baseline/g)).toHaveLength(5);
    expect(html).toContain(`href="/compare?ids=${[chosen[5], ...chosen.slice(0, 5)].join(',')}"`);
  });

  test('shows differing recipes of one format first', async () => {
    const systems = await ask<{ data: { id: string; quantization: { name: string } }[] }>('/v1/systems?engine=sglang');
    const idOf = (name: string) => systems.data.find(({ quantization }) => quantization.name === name)?.id ?? '';
    const text = await textOf(pathOf([idOf('w8a8_smooth_gptq'), idOf('w8a8_smooth_ptq')]));
    expect(text).toMatch(/Quantization recipe\s*smooth, gptq\s*smooth, ptq/);
  });

  test('shows the deviation of a tool without inventing its n', async () => {
    const text = await textOf(pathOf(limits.slice(0, 2)));
    expect(text).toContain('GPU power limit (W)');
    expect(text).toContain('n not stated');
    expect(text).not.toContain('n 1');
  });

  test('starts with a sentence: the speed ratio, its interval, and the number of loads', async () => {
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

  test('states that intervals are unknown instead of claiming a difference', async () => {
    const text = await textOf(pathOf(limits.slice(0, 2)));
    expect(text).toContain('but the intervals are unknown, so a difference is not shown.');
  });

  test('at several loads has one chart for each workload, with all systems, differences and intervals', async () => {
    const html = await htmlOf(pathOf(series, '&metric=ttft_ms_mean'));
    const chart = html.slice(html.indexOf('<section class="explorer compact'), html.indexOf('Point by point'));
    const text = wordsOf(chart);
    expect(text).toContain('TTFT over per-user speed, Chatbot, steady');
    expect(text).toContain('TTFT, ms');
    expect(text).toContain('Per-user speed, tok/s');
    expect(chart).toContain('aria-label="Hide A vLLM"');
    expect(chart).toContain('aria-label="only B SGLang"');
    // 80 x 4^0.9 x 0.8, over three runs.
    const { points } = await ask<Comparison>(`/v1/compare?${series.map((id) => `system=${id}`).join('&')}`);
    expect(points).toHaveLength(5);
    expect(html.match(/class="error[ "]/g)?.length).toBeGreaterThanOrEqual(10 + 5);
    expect(chart.match(/class="line[ "]/g)?.length).toBe(2);
    // The explorer has the same curves under the same names.
    const [, explore = ''] = /href="(\/explore\?[^"]*)" class="permalink/.exec(chart) ?? [];
    const explored = await htmlOf(explore.replaceAll('&amp;', '&').replaceAll('&#38;', '&'));
    for (const name of ['A vLLM', 'B SGLang']) expect(explored).toContain(`data-curve="${name}"`);
    expect(explored.match(/class="error[ "]/g)?.length).toBe(10);
    for (const id of series) expect(explored).toContain(`pin=${id}`);
  });

  test('collapses its tables', async () => {
    const html = await htmlOf(pathOf(series));
    for (const [table] of html.matchAll(/<section id="point-\d+"/g)) {
      const before = html.slice(0, html.indexOf(table));
      expect(before.lastIndexOf('<details'), table).toBeGreaterThan(before.lastIndexOf('</details>'));
    }
  });

  test('is suggested only with common measurements, and its label names what differs', async () => {
    const html = await htmlOf('/compare');
    const list = html.slice(html.indexOf('id="suggestions-title"'), html.indexOf('id="choose"'));
    const suggested = [...list.matchAll(/href="\/compare\?ids=([^"]+)"[^>]*>([^<:]+):/g)];
    expect(suggested.length).toBeGreaterThanOrEqual(2);
    const fields: Record<string, RegExp> = {
      Quantization: /^quantization/,
      GPU: /^gpu$/,
      Engine: /^engine/,
      Implementation: /^engine/,
      'Power limit': /^gpu_power_limit_w$/,
      'Speculative decoding': /^features\.speculative/,
      'Engine version': /^engine_version$/,
    };
    for (const [, chosen = '', title = ''] of suggested) {
      const ids = chosen.split(/,|%2C/i);
      const { points, differences } = await ask<Comparison>(`/v1/compare?${ids.map((id) => `system=${id}`).join('&')}`);
      for (const { field } of differences) expect(field, title).toMatch(fields[title] ?? /never/);
      const figures = points.flatMap(({ metrics }) => metrics.map((metric) => metric.figures));
      expect(
        figures.some((all) => all.every((figure) => figure !== null)),
        title,
      ).toBe(true);
    }
  });

  test('of systems without a common workload says so and compares nothing', async () => {
    const text = await textOf(pathOf([ids[0] ?? '', limits[0] ?? '']));
    expect(text).toContain('Nothing to compare');
    expect(text).toContain('measured on only one of the systems');
  });

  test('accepts the common filters', async () => {
    const text = await textOf(pathOf(ids.slice(0, 2), '&scenario=decode-bound'));
    expect(text).toContain('Decode bound · batch 1');
    expect(text).not.toContain('High concurrency ·');
  });
});

describe('rejected comparisons', () => {
  test.each([
    ['one system', () => ids.slice(0, 1)],
    ['seven systems', () => ids],
  ])('%s: the page states what to do, and keeps the selection', async (_, chosen) => {
    const response = await fetch(server.url + pathOf(chosen()));
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toContain('2 to 6 times');
    expect(html.match(/ checked[ >=]/g)?.length).toBe(chosen().length);
  });

  test('a missing system', async () => {
    const response = await fetch(server.url + pathOf([ids[0] ?? '', 'sys_nobody']));
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.text()).toContain('sys_nobody');
  });
});

describe('the URL', () => {
  test("is the same for form checkboxes and for the API's parameters", async () => {
    const [a = '', b = ''] = ids;
    for (const search of [`ids=${a}&ids=${b}`, `system=${a}&system=${b}`, `ids=${a},${b}&scenario=`]) {
      const response = await fetch(`${server.url}/compare?${search}`, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')], search).toEqual([302, `/compare?ids=${a},${b}`]);
    }
  });

  test("offers the page's data as JSON and CSV", async () => {
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

  test('systems are filtered and selected without JavaScript', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/compare`);
      await page.getByLabel('Model', { exact: true }).selectOption('llama-2-7b');
      await page.getByRole('button', { name: 'Find systems' }).click();
      expect(page.url()).toContain('model=llama-2-7b');
      const boxes = page.locator('input[name="ids"][type="checkbox"]');
      expect(await boxes.count()).toBe(8);
      await boxes.nth(0).check();
      await boxes.nth(7).check();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      expect(await page.locator('h1').textContent()).toBe('2 systems side by side');
    });
  });

  test('systems are searched and selected by keyboard only, over several searches, without JavaScript', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      const selectOneOf = async (words: string) => {
        await page.getByLabel('Find a system').fill(words);
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => url.searchParams.get('q') === words);
        const found = page.locator('.pick-groups input[name="ids"]');
        const id = await found.first().getAttribute('value');
        await found.first().focus();
        await page.keyboard.press('Space');
        return id;
      };
      await page.goto(`${server.url}/compare`);
      const vllm = await selectOneOf('h100 vllm qwen');
      expect(await page.locator('.pick-groups input').count()).toBe(1);
      const sglang = await selectOneOf('sglang qwen h100');
      expect([vllm, sglang].toSorted()).toEqual(series.toSorted());
      expect(await page.locator('.chosen input:checked').count()).toBe(1);
      await page.getByLabel('Find a system').fill('no such system');
      await page.keyboard.press('Enter');
      await page.waitForURL(/no\+such/);
      expect(await page.getByRole('status').textContent()).toContain('No measured system matches “no such system”.');
      expect(await page.locator('.chosen input:checked').count()).toBe(2);
      await page.getByRole('button', { name: 'Compare', exact: true }).press('Enter');
      await page.waitForURL(`**/compare?ids=${vllm},${sglang}`);
      expect(await page.locator('h1').textContent()).toBe('2 systems side by side');
    });
  });

  test('the picker has no accessibility violations, with and without matches', async () => {
    await withPage(browser, {}, async (page) => {
      for (const search of [
        'q=llama',
        `q=zzz&choose=true&ids=${series.join(',')}`,
        `choose=true&ids=${ids.slice(0, 3)}`,
      ]) {
        await page.goto(`${server.url}/compare?${search}`);
        expect(await axeViolations(page), search).toEqual([]);
      }
    });
  });

  test('systems are selected on a board and compared without JavaScript', async () => {
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

  test('selected systems stay in the tray across pages, with their names, and can be compared anywhere', async () => {
    await withPage(browser, {}, async (page, troubles) => {
      const tray = page.getByRole('list', { name: 'Selected systems' });
      const names = () => tray.getByRole('listitem').locator('span').allTextContents();
      await page.goto(`${server.url}/?scenario=chatbot`);
      expect(await tray.isVisible()).toBe(false);
      const [first = ''] = series;
      const box = page.locator(`.compare-box[value="${first}"]`);
      await box.check();
      expect(await names()).toEqual([expect.stringMatching(/^Qwen3 8B BF16, H100 .*vLLM/)]);
      expect(await page.locator('.tray [role="status"]').textContent()).toContain('Select 1 more');
      expect(await page.getByRole('button', { name: 'Compare', exact: true }).isDisabled()).toBe(true);

      await page.goto(`${server.url}/models/llama-2-7b`);
      await page.locator('.compare-box').first().focus();
      await page.keyboard.press('Space');
      const second = await page.locator('.compare-box').first().inputValue();
      expect(await names()).toHaveLength(2);
      expect((await names())[1]).toMatch(/^Llama 2 7B Q4_0, RTX PRO 6000/);

      await page.goto(`${server.url}/gpus/rtx-pro-6000-blackwell-ws`);
      expect(await names()).toHaveLength(2);
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await page.waitForURL(`**/compare?ids=${first},${second}`);

      await page.goto(`${server.url}/?scenario=chatbot`);
      expect(await box.isChecked()).toBe(true);
      await tray.getByRole('button', { name: /^Remove Qwen3 8B/ }).press('Enter');
      expect(await box.isChecked()).toBe(false);
      expect(await names()).toHaveLength(1);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(
        /^Remove Llama 2 7B/,
      );
      await page.getByRole('button', { name: 'Clear' }).click();
      expect(await tray.isVisible()).toBe(false);
      expect(troubles).toEqual([]);
    });
  });

  test('each chart can be explored: toggle curves, zoom, pin a point, move a limit, change an axis', async () => {
    await withPage(browser, { viewport: { width: 1440, height: 1000 } }, async (page, troubles) => {
      const address = `${server.url}${pathOf(series)}`;
      await page.goto(address);
      const first = page.locator('#workload-1.live');
      await first.getByRole('link', { name: 'only B SGLang' }).click();
      await first.getByRole('link', { name: 'Show all' }).waitFor();
      expect(await first.locator('[data-curve]').count()).toBe(1);
      await first.getByRole('link', { name: 'Show all' }).click();
      await first.locator('[data-curve="A vLLM"]').waitFor();

      const all = await first.locator('.target').count();
      await first.locator('figure > svg').focus();
      await page.keyboard.press('+');
      await expect.poll(() => first.locator('.target').count()).toBeLessThan(all);
      // The focus stays on the same chart.
      await page.keyboard.press('Escape');
      await expect.poll(() => first.locator('.target').count()).toBe(all);

      const point = first.locator('[data-curve] a').first();
      await point.hover();
      expect(await first.locator('.tip').textContent()).toContain('A vLLM');
      await point.click();
      await first.getByLabel('Selected point').waitFor();
      await first.getByRole('link', { name: 'Close' }).click();
      await first.getByLabel('Selected point').waitFor({ state: 'detached' });

      await first.getByRole('slider').focus();
      await page.keyboard.press('PageDown');
      await first.getByRole('heading', { name: /or less$/ }).waitFor();
      expect(await first.locator('ol li').count()).toBe(2);
      await first.getByText('Axes, colours, limit and dates').click();
      await first.getByLabel('Vertical axis').selectOption('tpot_ms_mean');
      await first.getByRole('heading', { name: /: TPOT over/ }).waitFor();

      expect(page.url()).toBe(address);
      const ids = await page.locator('[id]').evaluateAll((found) => found.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      expect(troubles).toEqual([]);
    });
  });

  test('the tray rejects more systems than a comparison accepts', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/models/llama-2-7b`);
      for (const box of await page.locator('.compare-box').all()) await box.check();
      expect(await page.locator('.tray [role="status"]').textContent()).toBe(
        '8 selected. Remove 2 to compare: the maximum is 6.',
      );
      expect(await page.getByRole('button', { name: 'Compare', exact: true }).isDisabled()).toBe(true);
      for (const at of [7, 0])
        await page
          .getByRole('button', { name: /^Remove/ })
          .nth(at)
          .click();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      expect(await page.locator('h1').textContent()).toBe('6 systems side by side');
    });
  });

  test.each([
    ['with', true],
    ['without', false],
  ])('keyboard focus never reaches a checkbox under the tray, %s a script', async (_, javaScriptEnabled) => {
    const viewport = { width: 390, height: 640 };
    await withPage(browser, { viewport, javaScriptEnabled }, async (page) => {
      await page.goto(`${server.url}/models/llama-2-7b`);
      const boxes = page.locator('.compare-box');
      for (const at of [0, 1, 2]) await boxes.nth(at).check();
      await boxes.first().focus();
      const seen: number[] = [];
      for (let presses = 0; presses < 60 && seen.length < 5; presses += 1) {
        await page.keyboard.press('Tab');
        const focused = page.locator('.compare-box:focus');
        if ((await focused.count()) === 0) continue;
        const [box, tray] = [await focused.boundingBox(), await page.locator('#compare-tray').boundingBox()];
        if (box === null || tray === null) throw new Error('not drawn');
        seen.push(box.y);
        expect(box.y + box.height <= tray.y || box.y >= tray.y + tray.height, JSON.stringify({ box, tray })).toBe(true);
      }
      expect(seen).toHaveLength(5);
    });
  });

  test('opens the first suggested comparison', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page, troubles) => {
      await page.goto(`${server.url}/compare`);
      await page.locator('section:has(#suggestions-title) a').first().click();
      expect(await page.locator('h1').textContent()).toMatch(/^[2-6] systems side by side$/);
      expect(troubles).toEqual([]);
    });
  });
});
