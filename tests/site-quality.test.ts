import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordsOf } from './support/browser.ts';
import { adminKey, startTestServer, type TestServer } from './support/server.ts';

// What quantization gains in speed and costs in quality, as the pages of models and quantizations tell it.

let server: TestServer;

const report = JSON.parse(
  readFileSync(new URL('../packages/core/fixtures/lm-evaluation-harness/0.4-gsm8k-cot.json', import.meta.url), 'utf8'),
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
  return wordsOf(new RegExp(`<section aria-labelledby="${id}">[\\s\\S]*?</section>`).exec(html)?.[0] ?? '');
};

test('a model: what each quantization gains and costs against the unquantized weights', async () => {
  const text = await sectionOf('/models/llama-3.1-8b', 'tradeoff-title');
  expect(text).toContain('Output throughput per GPU (tok/s) on H100, 1K→1K, steady');
  // Twice as fast, and no worse than 200 items can tell.
  expect(text).toMatch(/fp8 1,200 2× the speed .*0\.777 ± 0\.029 n 200 0\.38 % worse, within the error/);
  expect(text).toMatch(/int4 1,500 2\.5× the speed .*0\.600 ± 0\.029 n 200 23 % worse(?!,)/);
  expect(text).toMatch(/bf16 unquantized 600 /);
});

test('a quantization: its evaluations beside those of the unquantized weights', async () => {
  const text = await sectionOf('/quantizations/fp8', 'costs-title');
  expect(text).toContain('Llama 3.1 8B gsm8k_cot exact_match, strict-match, 8 shot 0.777 ± 0.029 n 200');
  expect(text).toContain('0.780 ± 0.029 n 200 bf16');
  // A score is no speed.
  expect(await sectionOf('/quantizations/fp8', 'gains-title')).not.toContain('Score');
});

test('a board of quantizations: what was found of each beside its speed', async () => {
  const path = '/?subject=quantization&rank_by=output_tok_s_per_gpu&model=llama-3.1-8b';
  const html = await (await fetch(server.url + path)).text();
  const rows = [...html.matchAll(/<tr role="row"[\s\S]*?<\/tr>/g)].map(([row]) => wordsOf(row));
  expect(rows[0]).toContain('gsm8k_cot exact_match, ');
  expect(rows.slice(1).map((row) => /^\s*[\d–]+(?: tied)?\s+(\w+).* 0\.\d+ ± 0\.0\d\d n 200/.exec(row)?.[1])).toEqual([
    ...['int4', 'fp8', 'bf16'],
  ]);
});
