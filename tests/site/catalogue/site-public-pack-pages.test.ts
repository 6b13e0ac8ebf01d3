import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { wordsOf } from '../../support/site/browser.ts';

// All kinds of pages with the pack of published figures: each value links to its source, and no page states anything false.

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ SAMPLE_DATA: 'public' });
});
afterAll(async () => {
  await server?.dispose();
});

const get = async (path: string) => {
  const response = await fetch(server.url + path);
  expect(response.status, path).toBe(200);
  return response.text();
};

const isSource = /<a href="https:\/\/[^"]+" rel="nofollow noopener"[ >]/;
const rowsOf = (html: string) => html.match(/<(tr|li)\b[\s\S]*?<\/\1>/g) ?? [];
/** Rows that link to a measured system, and so to a value. */
const figureRows = (html: string) => rowsOf(html).filter((row) => /href="\/systems\/sys_/.test(row) && /\d/.test(row));

describe('each row with a figure links to its source', () => {
  test.each([
    '/',
    '/?workload=mlperf-llama2-70b-99.9-offline',
    '/?subject=gpu&x=ttft_ms_mean',
    `/?${new URLSearchParams({ q: 'best quantization of deepseek r1 on b200' })}`,
    '/models/deepseek-r1',
    '/models/llama-2-70b',
    '/gpus/b200-sxm',
    '/gpus/strix-halo',
    '/quantizations/fp8',
    '/quantizations/gguf-q8_0',
    '/scenarios/8k-1k',
    '/scenarios/pp2048%40d32768',
    '/matrix',
    '/matrix?view=grid',
    '/matrix?view=ranking',
    '/history?model=deepseek-r1',
  ])('%s', async (path) => {
    const html = await get(path);
    const rows = figureRows(html);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !isSource.test(row)).map(wordsOf)).toEqual([]);
  });

  test('the matrix distinguishes a GPU without a stated variant from its variants', async () => {
    const html = await get('/matrix?all=true&workload=8k-1k-steady');
    expect(html).toContain('H100, variant not stated');
    expect(html).toContain('H100 SXM5 80GB');
  });

  test('the page of a system, and a comparison of two', async () => {
    const { data } = (await (await fetch(`${server.url}/v1/leaderboard?limit=2`)).json()) as {
      data: { system: { id: string } }[];
    };
    const ids = data.map(({ system }) => system.id);
    const system = await get(`/systems/${ids[0]}`);
    const raw = rowsOf(/<section id="raw"[\s\S]*?<\/section>/.exec(system)?.[0] ?? '').slice(1);
    expect(raw.length).toBeGreaterThan(0);
    for (const row of raw) expect(row).toMatch(isSource);
    const compared =
      /<details class="sources"[\s\S]*?<\/details>/.exec(await get(`/compare?ids=${ids.join(',')}`))?.[0] ?? '';
    expect(rowsOf(compared)).toHaveLength(2);
    for (const row of rowsOf(compared)) expect(row).toMatch(isSource);
  });

  test('entries of the open division are labelled', async () => {
    const rows = figureRows(await get('/models/llama-3.1-70b'));
    const open = rows.filter((row) => wordsOf(row).includes('v5.1, Open'));
    expect(open.length).toBeGreaterThan(0);
    for (const row of open) expect(wordsOf(row)).toContain('open division');
  });
});

test.each(['/scenarios/pp2048%40d32768', '/gpus/strix-halo'])('rows of %s name different systems', async (path) => {
  const [, table = ''] = /<div class="scroll entries"([\s\S]*?)<\/table>/.exec(await get(path)) ?? [];
  const names = (table.match(/<th role="rowheader"[\s\S]*?<\/th>/g) ?? []).map(wordsOf);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

/** Number of tested pages of one kind. `npm run test:fresh` reads more. */
const perKind = process.env.TEST_RUNS === undefined ? 1 : 3;
const notPages = /^\/(v1|docs|_astro|og|badges|feed|openapi|mcp)|\.(csv|jsonl|parquet|json|svg|png|txt|ico|xml)(\?|$)/;

/** "systems/ by" for "/systems/sys_1?by=x": groups pages of one source file by their first parameter. */
function kindOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://here');
  const [, folder = '', slug] = pathname.split('/');
  return `${folder}${slug === undefined ? '' : '/'} ${[...searchParams.keys()][0] ?? ''}`;
}

const linksOf = (html: string) =>
  [...html.matchAll(/href="(\/[^"#]*)/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .filter((href) => !notPages.test(href));

/** Significant digits of "12,700" (3), "0.0787" (3), "1,832" (4). */
function digitsOf(number: string): number {
  const digits = number.replace(/[^\d.]/g, '').replace(/^[0.]+/, '');
  return (digits.includes('.') ? digits.replace('.', '') : digits.replace(/0+$/, '')).length;
}

/** The errors on a page of values. */
function faultsOf(html: string): string[] {
  const text = wordsOf(html.replace(/<(pre|code)[\s\S]*?<\/\1>/g, ' ').replaceAll('<', ' <'));
  const faults = [
    ...text.matchAll(/.{0,60}(?:\bNaN\b|\bundefined\b|\bnull\b|\bInfinity\b|\[object|∞).{0,40}/g),
    // No speed, time or ratio of the pack is negative, and no end of its interval.
    ...text.matchAll(/.{0,60}95 %[^.]{0,20} −\d.{0,40}/g),
    ...text.matchAll(/.{0,60}−[\d.,]+ to [\d.,−]+ ?(?:tok|ms|s\b).{0,40}/g),
    // A long time states its own unit.
    ...text.matchAll(/.{0,60}\d s ms\b.{0,40}/g),
  ].map(([found]) => found);
  // A single value shows no more digits than are significant.
  for (const [figure, value = ''] of html.matchAll(/<span class="figure"[^>]*>\s*<strong[^>]*>([^<]*)<\/strong>.*/g))
    if (!figure.includes('class="sd"') && digitsOf(value) > 4) faults.push(`${value}: too many digits`);
  for (const [sentence, value = '', unit, side = '', limit = '', ofLimit] of text.matchAll(
    /Closest: \D*?([\d.,]+) (\w+)(?: \([^)]*\))?, (above|below) the ([\d.,]+) (\w+)/g,
  )) {
    const [found, asked] = [
      [value, unit],
      [limit, ofLimit],
    ].map(([number = '', of]) => Number(number.replaceAll(',', '')) * (of === 's' ? 1000 : 1));
    if (side === 'above' ? !((found ?? 0) > (asked ?? 0)) : !((found ?? 0) < (asked ?? 0))) faults.push(sentence);
  }
  return faults;
}

test.each([
  '<td>NaN tok/s</td>',
  '<p>Best of undefined</p>',
  '<p>95 % interval −3 to 20 tok/s</p>',
  '<td>14.87 s<span> ms</span></td>',
  '<span class="figure"><strong>27,784.97</strong></span>',
  '<p>No system meets this. Closest: ITL 5.8 ms, above the 20 ms asked for.</p>',
])('%s is detected as an error', (html) => {
  expect(faultsOf(html)).not.toEqual([]);
});

test('no linked page is broken or shows NaN, null, a negative speed or a wrong closest result', async () => {
  const queue = [
    '/',
    '/?rank_by=itl_ms_mean&order=desc&scenario=8k-1k',
    '/models',
    '/gpus',
    '/quantizations',
    '/scenarios',
    '/matrix',
    '/history',
    '/compare',
    '/kernels',
  ];
  const met = new Set(queue);
  const kinds = new Map<string, number>();
  const faults: string[] = [];
  for (const path of queue) {
    const response = await fetch(server.url + path);
    const html = await response.text();
    if (response.status !== 200) faults.push(`${path}: ${response.status}`);
    faults.push(...faultsOf(html).map((fault) => `${path}: ${fault}`));
    for (const href of linksOf(html)) {
      const kind = kindOf(href);
      const read = kinds.get(kind) ?? 0;
      if (met.has(href) || read >= perKind) continue;
      met.add(href);
      kinds.set(kind, read + 1);
      queue.push(href);
    }
  }
  expect(faults).toEqual([]);
  expect(queue.length).toBeGreaterThan(30);
});
