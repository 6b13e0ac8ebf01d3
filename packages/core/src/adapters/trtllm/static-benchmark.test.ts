import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/trtllm-static-benchmark/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const session = fixture('0.8-session.txt');
const python = fixture('0.9-python.txt');

// Published in a tutorial on TensorRT-LLM.
test('reads the line of the C++ program', () => {
  const [result] = read(session);
  expect(result?.metrics).toEqual({ e2e_ms_mean: 39.47, output_tok_s: 506.69 });
  expect(result).toMatchObject({
    load: { mode: 'batch', level: 1 },
    scenario: { inputTokens: { value: 60 }, outputTokens: { value: 20 } },
    definitions: { e2e_ms: 'whole_batch' },
    extra: { peak_memory_gb: 23.06 },
    system: { model: null, engine: { value: 'tensorrt-llm' } },
  });
});

test('computes the rate of a line without one, as the formula of a static batch states', () => {
  const line = fixture('0.5-session.txt');
  const [result] = read(`${line}Benchmarking done.\n`);
  expect(result?.metrics.e2e_ms_mean).toBe(432.51);
  expect(result?.metrics.output_tok_s).toBeCloseTo((1000 * 20) / 432.51, 9);
  // The last line may have been cut before its rate.
  expect(read(line)[0]?.metrics).toEqual({ e2e_ms_mean: 432.51 });
});

// Published in NVIDIA/TensorRT-LLM, issue 1410, with the maintainers' definition of both rates.
test('reads the line of the Python program with its GPUs and number format', () => {
  const [result] = read(python);
  expect(result?.metrics).toEqual({
    e2e_ms_mean: 4409.816,
    e2e_ms_p95: 5120.208,
    e2e_ms_p99: 5120.208,
    output_tok_s: 43.09,
    decode_tok_s: 50.379,
  });
  expect(result?.system).toMatchObject({
    model: { value: 'llama_13b', origin: 'stated' },
    gpuCount: { value: 2, origin: 'stated' },
    quantization: { value: 'float16', origin: 'stated' },
  });
  expect(read(python.replace('QuantMode.0', 'QuantMode.FP8_QDQ|FP8_KV_CACHE'))[0]?.system.quantization?.value).toBe(
    'fp8',
  );
});

test('omits a cut last figure, and rejects a line without its latency', () => {
  expect(read(`${python.trim().slice(0, -1)}\n`)[0]?.metrics).not.toHaveProperty('decode_tok_s');
  expect(() => read(`${fixture('0.5-session.txt').trim().slice(0, -1)}\n`)).toThrow();
  expect(() => read('[BENCHMARK] batch_size 1 input_length 60 output_length 20\n')).toThrow();
});

test('rejects a figure that is not a number', () => {
  expect(() => read(session.replace('39.47', 'fast'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_unreadable', line: 4 })] }),
  );
});
