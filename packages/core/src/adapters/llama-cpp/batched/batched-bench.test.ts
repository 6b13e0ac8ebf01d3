import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../../fixtures/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const log = fixture('llama-batched-bench/2025-log.txt');
const sweep = fixture('llama-sweep-bench/2025-two-models.txt');

describe('llama-batched-bench', () => {
  // 8 sequences at 160 tok/s in total are 20 tok/s each.
  test('reads speeds of the batch and of one user, and the system from the log above', () => {
    const [, result] = read(log);
    expect(result?.load).toEqual({ mode: 'batch', level: 8 });
    expect(result?.metrics).toEqual({
      prefill_tok_s: 2560,
      decode_tok_s: 160,
      user_tok_s: 20,
      total_tok_s: 301.18,
      duration_s: 6.8,
    });
    expect(result?.definitions).toEqual({
      prefill_tok_s: 'in_process',
      decode_tok_s: 'in_process',
      user_tok_s: 'in_process',
    });
    expect(result?.system).toMatchObject({
      model: { value: 'example-8b-Q8_0.gguf', origin: 'context' },
      quantization: { value: 'Q8_0', origin: 'inferred' },
      gpu: { value: 'NVIDIA GeForce RTX 4090' },
      gpuCount: { value: 1 },
      engine: { value: 'llama.cpp', origin: 'inferred' },
      features: { n_ubatch: 256, flash_attention: true },
    });
    // N_KV is the cache content that the batch created, not the content before it.
    expect(result?.scenario).toMatchObject({ inputTokens: { value: 128 }, outputTokens: { value: 128 }, depth: null });
    expect(result?.extra.n_kv).toBe(2048);
  });

  test('reads a table without a system, and a batch without generation without a decode speed', () => {
    const [, result] = read(fixture('llama-batched-bench/2024-readme.md'));
    expect(result?.system).toMatchObject({ model: null, gpu: null, quantization: null });
    expect(result?.metrics).toEqual({ prefill_tok_s: 1280, total_tok_s: 1280, duration_s: 0.2 });
  });

  test('reads a shared prompt as a feature of the system', () => {
    const [result] = read(fixture('llama-batched-bench/2025-shared-prompt.txt'));
    expect(result?.system.features).toEqual({ flash_attention: 'auto', shared_prompt: true });
    expect(result?.metrics).toMatchObject({ prefill_tok_s: 4000, decode_tok_s: 256, user_tok_s: 16 });
  });

  test('reads the same from JSON lines', () => {
    const [, result] = read(fixture('llama-batched-bench/2024-lines.jsonl'));
    expect(result?.load).toEqual({ mode: 'batch', level: 4 });
    expect(result?.metrics).toMatchObject({ prefill_tok_s: 1024, decode_tok_s: 64, user_tok_s: 16, duration_s: 8.5 });
  });

  test('finds columns by name, in any order and with repeats', () => {
    const rows = [
      '| B | TG | PP | N_KV | N_KV | S_TG t/s | S_PP t/s | T s | S t/s |',
      '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
      '| 8 | 128 | 128 | 2048 | 2048 | 160.00 | 2560.00 | 6.800 | 301.18 |',
    ];
    expect(read(rows.join('\n'))[0]?.metrics).toEqual(read(log)[1]?.metrics);
  });
});

describe('ik_llama.cpp sweep-bench', () => {
  test('reads N_KV as the depth, and the model from the command of each table', () => {
    const reading = readArtifact(bytes(sweep));
    expect(reading.tool.name).toBe('ik_llama.cpp sweep-bench');
    expect(
      reading.results.map(({ system, scenario, metrics }) => [system.model?.value, scenario.depth, metrics]),
    ).toEqual([
      ['Example-30B-IQ4_KS.gguf', null, { prefill_tok_s: 128, decode_tok_s: 25, user_tok_s: 25 }],
      ['Example-30B-IQ4_KS.gguf', 512, { prefill_tok_s: 125, decode_tok_s: 25, user_tok_s: 25 }],
      ['Example-30B-Q4_K_M.gguf', null, { prefill_tok_s: 100, decode_tok_s: 20, user_tok_s: 20 }],
    ]);
    expect(reading.results[0]?.load).toEqual({ mode: 'batch', level: 1 });
    expect(reading.results[0]?.system.engine).toEqual({ value: 'ik_llama.cpp', origin: 'inferred' });
  });

  // -ngl 99 alone would mean that all weights are on the GPU.
  test('reads the tensors that the command keeps on the CPU as a fact of the system', () => {
    const table = sweep.slice(sweep.indexOf('|    PP'));
    const facts = (options: string) => {
      const [result] = read(`$ ./llama-sweep-bench -m Example-30B-IQ4_KS.gguf -ngl 99 ${options}\n\n${table}`);
      return result?.system.features;
    };
    expect(facts('-ot "blk\\.[0-9]\\.ffn=CUDA0" -ot exps=CPU')).toEqual({
      override_tensor: 'blk\\.[0-9]\\.ffn=CUDA0,exps=CPU',
      offload: true,
    });
    expect(facts('--override-tensor exps=CPU')).toEqual({ override_tensor: 'exps=CPU', offload: true });
    expect(facts('-ot exps=CUDA1')).toEqual({ override_tensor: 'exps=CUDA1' });
    expect(facts('--n-cpu-moe 20')).toEqual({ n_cpu_moe: 20, offload: true });
    expect(facts('-cmoe')).toEqual({ cpu_moe: true, offload: true });
    expect(facts('-ngl 20')).toEqual({ n_gpu_layers: 20 });
    expect(facts('-ot "$OVERRIDES" --n-cpu-moe 0')).toEqual({});
  });

  test('reads JSON lines without a number of sequences', () => {
    const line = '{"n_kv_max": 4096, "pp": 512, "tg": 128, "n_kv": 512, "speed_pp": 125, "speed_tg": 25}';
    const reading = readArtifact(bytes(line));
    expect(reading.tool.name).toBe('ik_llama.cpp sweep-bench');
    expect(reading.results[0]?.scenario.depth).toBe(512);
  });
});

test.each([
  ['llama-batched-bench', sweep],
  ['llama-sweep-bench', log],
  ['llama-batched-bench', fixture('llama-bench/b6413-power-limit.txt')],
])('%s does not claim a report of a sibling tool', (tool, text) => {
  expect(() => readArtifact(bytes(text), { tool })).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

test.each([
  ['a truncated row', log.slice(0, log.lastIndexOf('160.00')), 9],
  ['a table without rows', log.split('\n').slice(0, 7).join('\n'), 6],
  ['a truncated record', fixture('llama-batched-bench/2024-lines.jsonl').slice(0, -30), 2],
])('rejects %s with its line', (_, text, line) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ faults: [expect.objectContaining({ line })] }));
});

// The speed per user times the number of users is always the speed of the batch.
test('reads figures as printed', () => {
  const cents = (max: number) => fc.integer({ min: 1, max }).map((value) => value / 100);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 512 }), cents(1e7), cents(1e6), (b, prefill, decode) => {
      const row = `| 128 | 64 | ${b} | ${b * 192} | ${prefill.toFixed(2)} | ${decode.toFixed(2)} |`;
      const [result] = read(
        `| PP | TG | B | N_KV | S_PP t/s | S_TG t/s |\n| --- | --- | --- | --- | --- | --- |\n${row}`,
      );
      expect(result?.metrics.prefill_tok_s).toBe(prefill);
      expect(result?.metrics.decode_tok_s).toBe(decode);
      expect((result?.metrics.user_tok_s ?? 0) * b).toBeCloseTo(decode, 6);
    }),
    { numRuns: 100 },
  );
});
