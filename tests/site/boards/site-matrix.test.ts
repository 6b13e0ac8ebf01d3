import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatFigure } from '../../../packages/core/src/format/figure.ts';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { servingGrid, submitServingGrid } from '../../support/serving-grid.ts';
import { chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';

interface Matrix {
  rows: { headings: { id: string }[] };
  columns: { headings: { id: string; title: string }[] };
  cells: ({ value: number; statistics: { n: number; ci95: [number, number] | null } } | null)[][];
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server?.dispose();
});

const ask = async <T>(path: string): Promise<T> => (await (await fetch(server.url + path)).json()) as T;
const htmlOf = async (path: string) => (await fetch(server.url + path)).text();
const textOf = async (path: string) => wordsOf(await htmlOf(path));

describe('the table', () => {
  test('has the cells of the API, each with its n and a link to its system', async () => {
    const question = 'rows=quantization&columns=scenario&metric=decode_tok_s&engine=sglang';
    const { cells } = await ask<Matrix>(`/v1/matrix?${question}`);
    const html = await htmlOf(`/matrix?${question}&all=true`);
    const text = wordsOf(html);
    const values = cells.flat().flatMap((cell) => (cell === null ? [] : [cell]));
    expect(values.length).toBeGreaterThan(15);
    for (const { value, statistics } of values)
      expect(text).toContain(formatFigure(value, 'tok/s', statistics)?.number);
    expect(html.match(/class="cell-value"/g)).toHaveLength(values.length);
    expect(text).toContain('n 3, 95 % ');
    // One best value in each workload.
    expect(html.match(/ best</g)).toHaveLength(7);
  });

  test('links a row to its comparison only if its systems have common measurements', async () => {
    const html = await htmlOf('/matrix?rows=engine&columns=quantization&metric=decode_tok_s&scenario=decode-bound');
    expect(html).toMatch(/href="\/compare\?ids=sys_\w+,sys_/);
    for (const question of ['rows=gpu&columns=model', 'rows=model&columns=scenario']) {
      const links = (await htmlOf(`/matrix?${question}`)).matchAll(/href="(\/compare\?ids=[^"]+)"/g);
      for (const [, link = ''] of links) expect(await textOf(link), link).not.toContain('Nothing to compare');
    }
  });

  test('shows invalid queries as errors on the page', async () => {
    const response = await fetch(`${server.url}/matrix?rows=model&columns=model&metric=speed`);
    expect(response.status).toBe(422);
    expect(wordsOf(await response.text())).toContain('metric');
  });

  test('without a metric has the one with the most cells', async () => {
    const sides = 'rows=gpu&columns=engine';
    const cellsOf = async (metric: string) =>
      (await ask<Matrix>(`/v1/matrix?${sides}&metric=${metric}`)).cells.flat().filter((cell) => cell !== null).length;
    const chosen = (await htmlOf(`/matrix?${sides}`)).match(/\/v1\/matrix\?[^"]*metric=(\w+)/)?.[1] ?? '';
    for (const metric of ['itl_ms_mean', 'ttft_ms_mean', 'output_tok_s_per_gpu', 'req_s'])
      expect(await cellsOf(chosen)).toBeGreaterThanOrEqual(await cellsOf(metric));
  });

  test('removes empty fields and defaults from the URL', async () => {
    const sent = `${server.url}/matrix?rows=model&columns=gpu&metric=&scenario=base&model=`;
    const response = await fetch(sent, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/matrix?scenario=base']);
  });

  test('has GPUs in columns unless they are the rows, and links the workloads', async () => {
    expect(await textOf('/matrix')).toMatch(/ by model and GPU /);
    const html = await htmlOf('/matrix?rows=gpu');
    expect(wordsOf(html)).toMatch(/ by GPU and model /);
    expect(html).toMatch(/href="\/matrix\?rows=gpu&(?:#38;|amp;)?workload=/);
  });
});

describe('the batch ranking', () => {
  // Places, means and medals of the published ranking by output throughput.
  test('has the published order, mean ± sd, medals, and the speed-up over the original weights', async () => {
    const html = await htmlOf('/matrix?view=ranking&scenario=decode-bound');
    const text = wordsOf(html);
    const table = text.slice(text.indexOf('Decode bound 256'));
    const order = [
      ['w8a8_sparse_smooth_gptq', '198.06 ± 0.13'],
      ['w8a8_smooth_ptq', '197.6 ± 1.3'],
      ['w8a8_smooth_gptq', '197.2 ± 0.7'],
      ['w8a16_sparse_awq', '188.2 ± 1.2'],
      ['w8a16_awq', '187.5 ± 0.6'],
      ['w8a16_smooth_awq', '187.2 ± 0.7'],
      ['original', '136.47 ± 0.05'],
    ];
    let at = 0;
    const rows =
      /id="ranking-decode-bound"[\s\S]*?<tbody[^>]*>([\s\S]*?)<\/tbody>/.exec(html)?.[1]?.split('</tr>') ?? [];
    for (const [name = '', figure = ''] of order) {
      expect(wordsOf(rows[at] ?? '')).toContain(name);
      expect(wordsOf(rows[at] ?? '')).toContain(figure);
      at += 1;
    }
    expect(rows.slice(0, 3).map((row) => /aria-label="(\w+) medal/.exec(row)?.[1])).toEqual([
      'gold',
      'silver',
      'bronze',
    ]);
    expect(rows[3]).not.toContain('medal');
    expect(table).toContain('1.4513×');
    expect(table).toContain('baseline');
  });

  test('shows shared places for overlapping intervals', async () => {
    const { data } = await ask<{ data: { rank_spread: [number, number] }[] }>(
      '/v1/best?subject=quantization&scenario=base&rank_by=decode_tok_s',
    );
    const [low, high] = data[0]?.rank_spread ?? [0, 0];
    expect(low).toBeLessThan(high);
    expect(await textOf('/matrix?view=ranking&scenario=base')).toContain(`${low}–${high}`);
  });

  test('has only the scenario of the filter', async () => {
    const html = await htmlOf('/matrix?view=ranking&scenario=base');
    expect([...html.matchAll(/id="ranking-([^"]+)"/g)].map(([, id]) => id)).toEqual(['base']);
  });

  test('can use another baseline from the URL', async () => {
    const systems = await ask<{ data: { id: string; quantization: { name: string } }[] }>('/v1/systems?engine=sglang');
    const id = systems.data.find(({ quantization }) => quantization.name === 'w8a16_awq')?.id;
    const text = await textOf(`/matrix?view=ranking&scenario=decode-bound&baseline=${id}`);
    expect(text).toContain('or the one you chose');
    // 136.47 over 187.49.
    expect(text).toMatch(/0\.72[78]/);
  });
});

describe('power limits', () => {
  test('show speed and tokens per joule over the watts, as printed by the tool', async () => {
    const html = await htmlOf('/matrix?view=power');
    for (const label of [
      'tg128, 200: 189.8 ± 2.8 tok/s, n not stated',
      'tg128, 600: 278.95 ± 0.23 tok/s, n not stated',
      'pp512, 250: 10,600 ± 3,500 tok/s, n not stated',
    ])
      expect(html).toContain(`aria-label="${label}"`);
    const { data } = await ask<{ data: { value: number; system: { gpu_power_limit_w: number } }[] }>(
      '/v1/leaderboard?scenario=tg128&rank_by=tok_per_joule&model=llama-2-7b',
    );
    expect(data).toHaveLength(8);
    expect(data[0]?.system.gpu_power_limit_w).toBe(200);
    expect(wordsOf(html)).toContain('at 200 W');
    expect(html).toContain('Power limit of each GPU, W');
  });
});

// Runs last: it adds results.
describe('the serving grid', () => {
  test('explains how to fill it while it is empty, and shows existing results', async () => {
    const text = await textOf('/matrix?view=grid&metric=ttft_ms');
    expect(text).toContain('The grid has not been measured yet');
    expect(text).toContain('ShareGPT');
    expect(await textOf('/matrix?view=grid&metric=ttft_ms&load_mode=concurrency&load_level=64')).toContain(
      '64 concurrent',
    );
  });

  test("has scenario by load by model, mean and p99, as in the API's matrix", async () => {
    await submitServingGrid(server.url, adminKey);
    const html = await htmlOf('/matrix?view=grid');
    const text = wordsOf(html);
    expect(text).not.toContain('not measured yet');
    const titles = [
      'Random 1500→250',
      'Random 4000→1000',
      'Random 1000→1000',
      'ShareGPT',
      'Edit 10K characters',
      'Numina Math',
    ];
    const places = titles.map((title) => text.indexOf(`${title}: data table`));
    expect(places.every((place, at) => place > (places[at - 1] ?? 0))).toBe(true);
    // Six scenarios, three loads, four models, two statistics.
    expect(html.match(/class="bar (first|second)"/g)).toHaveLength(6 * 3 * 4 * 2);
    const { columns, rows, cells } = await ask<Matrix>(
      '/v1/matrix?rows=scenario&columns=model&metric=e2e_ms_mean&load_mode=rate&load_level=100',
    );
    const row = rows.headings.findIndex(({ id }) => id === 'random-1500-250');
    for (const [at, { title }] of columns.headings.entries()) {
      const cell = cells[row]?.[at];
      expect(cell?.statistics.n).toBe(servingGrid()[0]?.e2e === undefined ? 0 : 3);
      expect(html).toContain(
        `aria-label="${title}, mean: ${formatFigure(cell?.value ?? 0, 'ms of a column', cell?.statistics)?.number} ms, n 3`,
      );
    }
  });

  test('can use another fact, and other loads', async () => {
    const html = await htmlOf('/matrix?view=grid&series=gpu&load_mode=rate');
    expect(html).toContain('aria-label="RTX PRO 6000, mean: ');
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

  test('has a form that works without JavaScript and updates the URL', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/matrix`);
      await page.getByLabel('Rows', { exact: true }).selectOption('quantization');
      await page.getByLabel('Engine', { exact: true }).selectOption('sglang');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(page.url()).toBe(`${server.url}/matrix?rows=quantization&engine=sglang`);
      await page.getByRole('link', { name: 'Batch ranking' }).click();
      expect(page.url()).toBe(`${server.url}/matrix?view=ranking&engine=sglang`);
      expect(await page.locator('.rankings section').count()).toBe(7);
    });
  });
});
