import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/koboldcpp-benchmark/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const block = fixture('1.78-block.md');
const row = fixture('1.68-row-of-the-file.txt');

// https://github.com/LostRuins/koboldcpp/issues/1266
test('reads both speeds, the lengths and the settings of a block', () => {
  const { tool, results } = read(block);
  expect(tool).toEqual({ name: "KoboldCpp's benchmark", version: '1.78' });
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({
    system: {
      model: { value: 'Cydonia-22B-v1.3.i1-IQ4_XS', origin: 'stated' },
      quantization: { value: 'IQ4_XS', origin: 'inferred' },
      engine: { value: 'koboldcpp' },
      engineVersion: { value: '1.78' },
      features: { n_gpu_layers: 59, flash_attn: true },
    },
    scenario: { inputTokens: { value: 16284 }, outputTokens: { value: 100 } },
    load: { mode: 'batch', level: 1 },
    metrics: { prefill_tok_s: 767.28, user_tok_s: 4.3 },
    extra: { process_s: 21.223, generate_s: 23.24 },
    measuredAt: '2024-12-14T20:41:03Z',
    lines: { from: 9, to: 24 },
  });
});

// https://github.com/LostRuins/koboldcpp/issues/913
test('reads a row of the file, with and without its header and its last columns', () => {
  const line = row.split('\n')[2] ?? '';
  for (const text of [row, `${line}\n`, `${line}, 1 1 1 1,"{'flashattention': True, 'prompt': ''}"\n`]) {
    const { results } = read(text);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      system: { model: { value: 'Llama-3-70B-Instruct-abliterated-v3_q6' }, features: { n_gpu_layers: 81 } },
      scenario: { inputTokens: { value: 8092 }, outputTokens: { value: 100 } },
      metrics: { prefill_tok_s: 101.5, user_tok_s: 6.27 },
      measuredAt: '2024-06-19T21:46:13Z',
    });
  }
});

// https://github.com/LostRuins/koboldcpp/issues/1770
test('reads speeds without the lines above them, whose lengths are unknown', () => {
  const { results } = read(fixture('1.97-speeds-alone.txt'));
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { prefill_tok_s: 625.75, user_tok_s: 19.89 },
    { prefill_tok_s: 85.27, user_tok_s: 16.91 },
  ]);
  expect(results[0]?.scenario).toMatchObject({ inputTokens: null, outputTokens: null });
});

// Its name ends in that of the option of older versions, so flash attention was read as on.
test.each([
  ["{'noflashattention': True, 'sdflashattention': True}", { flash_attn: false }],
  ["{'noflashattention': False, 'quantkv': 'q8_0'}", { flash_attn: true, type_k: 'q8_0', type_v: 'q8_0' }],
  ["{'noflashattention': True, 'quantkv': 'q4_0'}", { flash_attn: false, type_k: 'q4_0' }],
  ["{'flashattention': True, 'quantkv': 2}", { flash_attn: true, type_k: 'q4_0', type_v: 'q4_0' }],
  ["{'flashattention': False, 'sdflashattention': True, 'quantkv': 0}", {}],
  ['FlashAttention=True KvCache=1', { flash_attn: true, type_k: 'q8_0', type_v: 'q8_0' }],
  ["{'quantkv': 'f16', 'moecpu': 12}", { n_cpu_moe: 12, offload: true }],
  ["{'lowvram': True, 'draftmodel': ''}", { no_kv_offload: true, offload: true }],
  ["{'draftmodel': '/models/small.gguf'}", { speculative_decoding: true }],
])('reads the settings of the flags %s', (flags, features) => {
  const text = block.replace(/^Flags: .*$/m, `Flags: ${flags}`).replace('Layers: 59', 'Layers: -1');
  expect(read(text).results[0]?.system.features).toEqual(features);
});

test('has no lengths for a prompt of the user, which does not fill the context', () => {
  const [first] = read(block.replace('Output:  1 1 1 1', 'Output: A long response to a short prompt.')).results;
  const flags = "Flags: {'flashattention': False, 'prompt': 'Hello'}";
  const [second] = read(block.replace(/Flags: .*/, flags)).results;
  for (const result of [first, second])
    expect(result?.scenario).toMatchObject({ inputTokens: null, outputTokens: null });
  expect(second?.system.features).toEqual({ n_gpu_layers: 59 });
});

test('names the backend, unless the GPU implies it', () => {
  const [result] = read(
    block.replace('koboldcpp_cublas.dll', 'koboldcpp_vulkan.dll').replace('Layers: 59', 'Layers: -1'),
  ).results;
  expect(result?.system.features).toMatchObject({ backend: 'vulkan', flash_attn: true });
});

test('rejects a truncated block, and does not read the times of other programs', () => {
  expect(() => read(fixture('1.78-cut.refused.txt'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'block_cut', line: 1 })] }),
  );
  expect(() => read('ProcessingSpeed: 12 files/s\nTotalTime: 3s')).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});
