/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';

// Speed gain and quality loss of quantizations on the pages of models and quantizations.

let server: TestServer;

const report = JSON.parse(
  readFileSync(
    new URL('../../../packages/core/fixtures/lm-evaluation-harness/0.4-gsm8k-cot.json', import.meta.url),
    'utf8',
  ),
);

async function send(body: string, query: Record<string, string> = {}): Promise<void> {
  const sent = await fetch(`${server.url}/v1/submissions?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
    body,
  });
  expect(sent.status, await sent.clone().text()).toBe(201);
}

beforeAll(async () => {
  server = await startTestServer();
  for (const [quantization, score, rate] of [
    ['bf16', 0.78, 600],
    ['fp8', 0.777, 1200],
    ['int4', 0.6, 1500],
  ] as const) {
    const own = structuredClone(report);
    own.results.gsm8k_cot['exact_match,strict-match'] = score;
    // The other method of the same task has one quantization less.
    if (quantization === 'int4') delete own.results.gsm8k_cot['exact_match,flexible-extract'];
    await send(JSON.stringify(own), { quantization });
    const results = [1, 2].map((repetition) => ({
      load: { mode: 'concurrency', level: 64 },
      repetition,
      metrics: { output_tok_s: rate * (repetition === 1 ? 0.99 : 1.01) },
    }));
    const system = { model: 'llama-3.1-8b', quantization, gpu: 'h100', gpu_count: 1, engine: 'vllm' };
    await send(JSON.stringify({ schema: 'inferboard/v1', system, scenario: '1k-1k', results }));
  }
});
afterAll(async () => {
  await server?.dispose();
});

const sectionOf = async (path: string, id: string) => {
  const html = await (await fetch(server.url + path)).text();
  return wordsOf(new RegExp(`<section aria-labelledby="${id}"[^>]*>[\\s\\S]*?</section>`).exec(html)?.[0] ?? '');
};

test('a model page shows speed and score changes of each quantization against unquantized weights', async () => {
  const text = await sectionOf('/models/llama-3.1-8b', 'tradeoff-title');
  expect(text).toContain('Output throughput per GPU (tok/s) on H100, 1K→1K, steady');
  // Twice as fast, and not significantly worse with 200 items.
  expect(text).toMatch(/FP8 1,200 2× the speed .*0\.777 ± 0\.029 n 200 0\.38 % worse, within the error/);
  expect(text).toMatch(/W4A16 1,500 2\.5× the speed .*0\.600 ± 0\.029 n 200 23 % worse(?!,)/);
  expect(text).toMatch(/BF16 unquantized 600 /);
});

test('a quantization page compares its evaluations with those of the unquantized weights', async () => {
  const text = await sectionOf('/quantizations/fp8', 'costs-title');
  expect(text).toContain('Llama 3.1 8B gsm8k_cot exact_match, strict-match, 8 shot 0.777 ± 0.029 n 200');
  expect(text).toContain('0.780 ± 0.029 n 200 BF16');
  // A score is not a speed.
  expect(await sectionOf('/quantizations/fp8', 'gains-title')).not.toContain('Score');
});

test('a board of quantizations shows evaluations and speed', async () => {
  const path = '/?subject=quantization&rank_by=output_tok_s_per_gpu&model=llama-3.1-8b';
  const html = await (await fetch(server.url + path)).text();
  const rows = [...html.matchAll(/<tr role="row"[\s\S]*?<\/tr>/g)].map(([row]) => wordsOf(row));
  expect(rows[0]).toContain('gsm8k_cot exact_match, ');
  expect(rows.slice(1).map((row) => /^\s*[\d–]+(?: tied)?\s+(\w+).* 0\.\d+ ± 0\.0\d\d n 200/.exec(row)?.[1])).toEqual([
    ...['W4A16', 'FP8', 'BF16'],
  ]);
});

describe('the explorer', () => {
  const path = '/explore?model=llama-3.1-8b&by=quantization&x=score%3Agsm8k_cot';
  const get = async (of: string) => (await fetch(server.url + of)).text();

  test('has the scores of the models as an axis, only if there are any', async () => {
    const html = await get(path);
    expect(html).toMatch(/<option value="score:gsm8k_cot" selected[^>]*>\s*gsm8k_cot score/);
    expect(html.match(/data-curve="/g)).toHaveLength(3);
    expect(wordsOf(html)).toContain('output throughput per GPU over gsm8k_cot score');
    expect(wordsOf(html)).toContain('from one evaluation, gsm8k_cot (exact_match, strict-match, 8 shot)');
    expect(html).toMatch(/aria-label="FP8: 1,200 tok\/s at 0\.777, Llama 3\.1 8B/);
    expect(await get('/explore?model=llama-2-7b&x=decode_tok_s&y=prefill_tok_s')).not.toContain('score:');
  });

  test('limits the score, and exports the chart as CSV', async () => {
    expect(wordsOf(await get(`${path}&limit=0.7`))).toContain('Output throughput per GPU at 0.7 or more');
    expect(await get(path.replace('/explore', '/explore.csv'))).toContain('score:gsm8k_cot');
  });

  test.skipIf(chromiumPath === null)('has no accessibility violations with such an axis', async () => {
    const browser = await launchBrowser();
    for (const colorScheme of ['light', 'dark'] as const)
      await withPage(browser, { colorScheme, viewport: { width: 390, height: 844 } }, async (page) => {
        await page.goto(server.url + path, { waitUntil: 'networkidle' });
        expect(await axeViolations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      });
    await browser.close();
  });
});
