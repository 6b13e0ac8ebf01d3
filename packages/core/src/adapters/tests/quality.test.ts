import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';

const bytes = (name: string) => new Uint8Array(readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url)));
const read = (name: string, given = {}) => readSubmission(bytes(name), given);

test('reads an evaluation with its task as the workload, and no GPU or engine if none is stated', () => {
  const { results, tool } = read('lm-evaluation-harness/0.4-gsm8k-cot.json', { quantization: 'bf16' });
  expect(tool).toEqual({ name: 'lm-evaluation-harness', version: '0.4.9' });
  expect(results.map(({ scenario, metrics, status }) => [scenario.id, metrics, status])).toEqual([
    ['gsm8k-cot-exact-match-strict-match-8-shot', { score: 0.78 }, 'accepted'],
    ['gsm8k-cot-exact-match-flexible-extract-8-shot', { score: 0.72 }, 'accepted'],
    ['mmlu-pro-acc-5-shot', { score: 0.42 }, 'accepted'],
    ['wikitext-word-perplexity-0-shot', { perplexity: 9.8713 }, 'accepted'],
  ]);
  const [first] = results;
  expect(first?.system).toMatchObject({
    model: { id: 'llama-3.1-8b' },
    quantization: { id: 'bf16' },
    gpu: { id: null, name: 'n/a' },
    engine: { id: 'vllm' },
  });
  // 0.02937 for 200 items.
  expect(first?.repeats).toEqual({ n: 200, sd: { score: expect.closeTo(0.41529, 5) }, samples: null });
  expect(first?.measuredAt).toBe('2025-05-11T21:46:40.250Z');
});

test('reads the token counts of perplexity and divergence, and the text if the client names it', () => {
  const { results } = read('llama-perplexity/b10964-kl-divergence.txt', { dataset: 'wikitext-2' });
  expect(results.map(({ scenario, metrics, extra }) => [scenario.id, metrics, extra])).toEqual([
    [
      'wikitext-2-perplexity-512-tokens',
      { perplexity: 13.990674 },
      // 100 windows of 512 tokens: the second half of each, except for its last token.
      { standard_error: 0.250594, samples: 25_500 },
    ],
    ['wikitext-2-kl-divergence-512-tokens', { kl_divergence: 0.002944 }, { standard_error: 0.000022, samples: 25_500 }],
    [
      'wikitext-2-same-top-token-512-tokens',
      { score: expect.closeTo(0.96694, 12) },
      { standard_error: expect.closeTo(0.00112, 12), samples: 25_500 },
    ],
  ]);
  expect(results[0]?.system).toMatchObject({
    quantization: { id: 'gguf-q8_0' },
    engine: { id: 'llama.cpp', version: 'b10964' },
  });
});

test('reads two runs in one log as two results, each with its own file', () => {
  const { results } = read('llama-perplexity/b4646-two-files.txt', { model: 'unspecified' });
  expect(results.map(({ system, metrics }) => [system.quantization.id, metrics.perplexity])).toEqual([
    ['fp16', 10.1498],
    ['gguf-q8_0', 10.1362],
  ]);
});

test('reads MLPerf scores as percentages, and the data set from the number of samples', () => {
  const given = { model: 'llama-2-70b', quantization: 'fp4' };
  const { results } = read('mlperf-accuracy/5.1-llama2-70b.txt', given);
  expect(results.map(({ scenario, metrics }) => [scenario.id, metrics.score])).toEqual([
    ['mlperf-llama2-70b-rouge1', expect.closeTo(0.444542, 9)],
    ['mlperf-llama2-70b-rouge2', expect.closeTo(0.220419, 9)],
    ['mlperf-llama2-70b-rougel', expect.closeTo(0.286112, 9)],
    ['mlperf-llama2-70b-rougelsum', expect.closeTo(0.420136, 9)],
  ]);
  expect(read('mlperf-accuracy/4.0-mixtral-printed.txt', { ...given, model: 'mixtral-8x7b' }).results).toHaveLength(6);
});

test('reads the serving system of InferenceX evaluations', () => {
  const { results } = read('inferencex-evaluations/2026-gsm8k.json');
  expect(results).toHaveLength(4);
  expect(results[0]).toMatchObject({
    kind: 'quality',
    scenario: { id: 'gsm8k-exact-match-strict-match' },
    load: { mode: 'concurrency' },
    repeats: { n: 1319 },
  });
  // Without disaggregation, prefill and decode count the same GPUs.
  const [row] = JSON.parse(new TextDecoder().decode(bytes('inferencex-evaluations/2026-gsm8k.json')));
  expect(results[0]?.system.gpuCount).toBe(row.num_decode_gpu);
  const [split] = read('inferencex-evaluations/2026-disaggregated.json').results;
  expect(split?.system.features).toMatchObject({ disaggregated: true });
});
