import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const record = {
  run_name: 'default',
  batch_size: 8,
  input_len: 256,
  output_len: 128,
  latency: 0.8,
  output_throughput: 1900,
  overall_throughput: 3840,
};
const lines = (...records: object[]) => records.map((each) => JSON.stringify({ ...record, ...each })).join('\n');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

function faultsOf(text: string) {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults.map(({ line, pointer }) => `${line} ${pointer ?? ''}`);
    throw error;
  }
  return [];
}

test('reads the latency, rates and shape of a batch', () => {
  const [result] = read(lines({}));
  expect(result?.metrics).toEqual({ e2e_ms_mean: 800, output_tok_s: 1280, total_tok_s: 3840, decode_tok_s: 1900 });
  expect(result?.definitions).toEqual({ e2e_ms: 'whole_batch', decode_tok_s: 'client' });
  expect(result?.load).toEqual({ mode: 'batch', level: 8 });
  expect(result?.scenario).toMatchObject({
    inputTokens: { value: 256, origin: 'stated' },
    outputTokens: { value: 128 },
  });
});

test('converts seconds to milliseconds without a rounding error', () => {
  expect(read(lines({ latency: 70.1871 }))[0]?.metrics.e2e_ms_mean).toBe(70187.1);
});

// If a decode speed were read as output throughput, a batch would rank by a rate that excludes its prefill.
test('reads output_throughput as the old rate only if it fits every record', () => {
  const old = { output_throughput: 1280 };
  expect(read(lines(old, old)).map(({ metrics }) => metrics.decode_tok_s)).toEqual([undefined, undefined]);
  expect(read(lines(old, {})).map(({ metrics }) => metrics.decode_tok_s)).toEqual([1280, 1900]);
});

test('omits a decode speed far above the overall rate, and warns about it', () => {
  const [result] = read(lines({ output_throughput: 3840 * 20 + 1 }));
  expect(result?.metrics.decode_tok_s).toBeUndefined();
  expect(result?.notes).toContainEqual(
    expect.objectContaining({ code: 'decode_speed_implausible', severity: 'warning' }),
  );
  expect(read(lines({ output_throughput: 3840 * 20 }))[0]?.metrics.decode_tok_s).toBe(76800);
});

test('treats NaN, infinity, -1 and 0 as missing', () => {
  const text = lines({ last_ttft: 0, acc_length: -1, cache_hit_rate: null })
    .replace('1900', 'Infinity')
    .replace('3840', 'NaN');
  const [result] = read(text);
  expect(result?.metrics).toEqual({ e2e_ms_mean: 800, output_tok_s: 1280 });
  expect(result?.system.features).toEqual({});
});

test('reads a recipe from the run name, and records of one recipe as repetitions', () => {
  const names = [
    'w8a8_smooth_ptq_base_run1',
    'original_base_run1',
    'w8a8_smooth_ptq_base_run3',
    'w8a8_smooth_ptq_base_run3',
  ];
  const results = read(lines(...names.map((run_name) => ({ run_name }))));
  expect(results.map(({ repetition }) => repetition)).toEqual([1, 1, 2, 3]);
  expect(results[0]?.system.quantization).toEqual({ value: 'w8a8_smooth_ptq', origin: 'inferred' });
  expect(results[0]?.extra.run_name).toBe('w8a8_smooth_ptq_base_run1');
});

test('reads records in an array and between log lines, each with its line', () => {
  expect(read(`[${lines({}).trim()},\n${lines({})}]`)).toHaveLength(2);
  expect(read(`start\n${lines({})}\nnext\n${lines({})}`).map((result) => result.lines.from)).toEqual([2, 4]);
});

test('reports every error of every record with its line and field', () => {
  const text = `${lines({})}\n${lines({ latency: 'fast', batch_size: 0 })}\n${lines({ output_len: undefined })}\n${lines({}).slice(0, 60)}`;
  expect(faultsOf(text)).toEqual(['2 /batch_size', '2 /latency', '3 /output_len', '4 ']);
});

test('rejects a number beyond the range of a double', () => {
  expect(faultsOf(lines({}).replace('1900', '1e309'))).toEqual(['1 /output_throughput']);
});

test('does not claim records of bench_one_batch', () => {
  const other = { ...record, prefill_latency: 0.1, total_latency: 0.8 };
  const bytes = new TextEncoder().encode(JSON.stringify(other));
  expect(() => readArtifact(bytes, { tool: 'sglang-bench-one-batch-server' })).toThrow('not output of');
});

const table = (rows: string, above = 'Input lens: (1024,). Output lens: (16,).') =>
  `${above}\n| batch size | input len | latency (s) | input throughput (tok/s) | output throughput (tok/s) | acc length | ITL (ms) |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows}`;

test('reads decode and prefill speeds from the --show-report table, and output over the whole latency', () => {
  const [plain, drafted] = read(
    table('| 1 | 1024 | 0.25 | 8192.00 | 128.00 | n/a | 7.81 |\n| 8 | 1024 | 0.5 | 0.00 | 512.00 | 2.10 | 15.6 |\n'),
  );
  expect(plain?.metrics).toEqual({ e2e_ms_mean: 250, output_tok_s: 64, prefill_tok_s: 8192, decode_tok_s: 128 });
  expect(plain?.load).toEqual({ mode: 'batch', level: 1 });
  expect(plain?.scenario).toMatchObject({ inputTokens: { value: 1024 }, outputTokens: { value: 16 } });
  // 0.00 means not measured.
  expect(drafted?.metrics).toEqual({ e2e_ms_mean: 500, output_tok_s: 256, decode_tok_s: 512 });
  expect(drafted?.system.features).toEqual({ speculative_decoding: true });
});

test('omits the output length of a table without the sentence above it, or with several lengths', () => {
  for (const above of ['### a/b', 'Input lens: (1024,). Output lens: (16, 32).']) {
    const [result] = read(table('| 1 | 1024 | 0.25 | 8192.00 | 128.00 | n/a | 7.81 |\n', above));
    expect(result?.metrics.output_tok_s).toBeUndefined();
    expect(result?.scenario.outputTokens).toBeNull();
  }
});

test('rejects rows without cells or figures, with their lines', () => {
  expect(faultsOf(table('| 1 | 1024 | 0.25 |\n| 1 | 1024 | fast | 1 | 1 | n/a | 1 |\n'))).toEqual(['4 ', '5 ']);
});

test('reads the rate of each record by its version in a file of two versions', () => {
  const point = {
    run_name: 'a',
    batch_size: 16,
    input_len: 1024,
    output_len: 16,
    latency: 0.5,
    overall_throughput: 33280,
  };
  // 16 x 16 / 0.5 = 512; without the 0.3 s before the last first token, 16 x 16 / 0.2 = 1280.
  const old = { ...point, output_throughput: 512 };
  const newer = { ...point, last_ttft: 0.3, input_throughput: 54613.3, output_throughput: 1280 };
  const [first, second] = read([old, newer].map((record) => JSON.stringify(record)).join('\n'));
  expect(first?.metrics).toEqual({ e2e_ms_mean: 500, output_tok_s: 512, total_tok_s: 33280 });
  expect(second?.metrics).toMatchObject({ output_tok_s: 512, decode_tok_s: 1280, ttft_ms_mean: 300 });
});
