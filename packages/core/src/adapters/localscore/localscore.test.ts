import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';
import { parseTime } from './console.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/localscore/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const report = fixture('0.9-report.json');
const console = fixture('0.9-console.txt');

// 1024 tokens at 40,000 tok/s take 25.6 ms, 16 at 800 take 20 ms; the first of them arrives after 26.85 ms.
const first = { prefill_tok_s: 40000, decode_tok_s: 800, user_tok_s: 800, ttft_ms_mean: 26.85, e2e_ms_mean: 45.6 };

test('reads each test of a report as a result, in process and with one user', () => {
  const [result, ...others] = read(report);
  expect(others).toHaveLength(2);
  expect(result?.metrics).toEqual(first);
  expect(result?.definitions).toEqual({
    prefill_tok_s: 'in_process',
    decode_tok_s: 'in_process',
    user_tok_s: 'in_process',
    ttft_ms: 'prefill_only',
    e2e_ms: 'whole_batch',
  });
  expect(result?.load).toEqual({ mode: 'batch', level: 1 });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 1024 }, outputTokens: { value: 16 } });
  expect(result?.system).toMatchObject({
    model: { value: 'Example-1B-Instruct-Q4_K_M.gguf', origin: 'stated' },
    // `model_quant_str` is "Medium".
    quantization: { value: 'Q4_K - Medium' },
    gpu: { value: 'NVIDIA GeForce RTX 4090', origin: 'stated' },
    engine: { value: 'llamafile' },
    engineVersion: { value: '0.9.2' },
  });
});

test('treats zeros as missing', () => {
  const [result] = read(report);
  expect(result?.metrics).not.toHaveProperty('power_w');
  expect(result?.repeats).toBeNull();
  expect(result?.measuredAt).toBeNull();
  const [gpu, processor] = read(fixture('0.9-gpu-with-power.json'));
  expect(gpu?.metrics.power_w).toBe(300.5);
  expect(gpu?.repeats?.sd).toEqual({ prefill_tok_s: 100.5, decode_tok_s: 2.5 });
  expect(gpu?.measuredAt).toBe('2025-04-02T10:00:00Z');
  expect(processor?.system.gpu).toBeNull();
  expect(processor?.metrics).not.toHaveProperty('power_w');
});

test('reads the table like the report, with fewer digits and times in two units', () => {
  const results = read(console);
  expect(results[0]?.metrics).toEqual(first);
  expect(results[2]?.metrics).toMatchObject({ ttft_ms_mean: 4.53, e2e_ms_mean: 2050 });
  expect(results[0]?.system).toMatchObject({ gpu: { value: 'NVIDIA GeForce RTX 4090' }, model: null });
  expect(results[0]?.extra).toEqual({ printed_model: 'example 1B Q4_K - Medium', performance_score: 7214 });
});

test('omits private values', () => {
  expect(JSON.stringify(read(report))).not.toMatch(/someone|x86_64|SMP/);
});

test.each([
  ['a truncated table', console.slice(0, console.indexOf('32000.00')), 9],
  ['an unfinished test', console.replace('4352 / 4352', '2176 / 4352'), 9],
])('rejects %s with its line', (_, text, line) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ faults: [expect.objectContaining({ line })] }));
});

test('rejects a truncated report', () => {
  expect(() => read(report.slice(0, -100))).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

test.each(['llama-bench/b5163-array.json', 'llama-bench/b6413-power-limit.txt'])('does not claim %s', (name) => {
  expect(() => readArtifact(bytes(fixture(`../${name}`)), { tool: 'localscore' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});

test.each([
  ['43.65 ms', 43.65],
  ['1.05 s', 1050],
  ['850.2 µs', 0.8502],
  ['1.0', null],
  ['45.6…', null],
  ['-1 ms', null],
])('parses the time %j', (text, expected) => {
  expect(parseTime(text)).toBe(expected);
});

test('reads the CSV of a client without GPU and model, and treats zeros as missing', () => {
  const text = fixture('2025-client.csv');
  const results = read(text);
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { prefill_tok_s: 5000, decode_tok_s: 80, user_tok_s: 80, ttft_ms_mean: 217.3 },
    { prefill_tok_s: 4800, decode_tok_s: 78, user_tok_s: 78, ttft_ms_mean: 866.15 },
    { prefill_tok_s: 900 },
  ]);
  expect(results[1]).toMatchObject({
    scenario: { inputTokens: { value: 4096 }, outputTokens: { value: 256 } },
    system: { model: null, gpu: null, engine: null },
    extra: { performance_score: 801.5 },
    load: { mode: 'batch', level: 1 },
  });
  // Without its summary, and after a log.
  expect(read(`$ localscore-bench --csv\n${text.slice(0, text.indexOf('\n\n'))}\nbye\n`)).toHaveLength(3);
});

test.each([
  ['a truncated row', (text: string) => text.replace(',866.15', ''), 'has 5 cells, its header has 6'],
  [
    'a count that contradicts its name',
    (text: string) => text.replace('pp1024+tg16,1024', 'pp1024+tg16,512'),
    'with 512',
  ],
  ['text instead of a figure', (text: string) => text.replace('80.00', 'fast'), '"fast" in gen_tps'],
  ['a header without rows', (text: string) => text.slice(0, text.indexOf('\n')), 'has no rows'],
])('rejects %s in CSV', (_, change, reason) => {
  expect(() => read(change(fixture('2025-client.csv')))).toThrow(new RegExp(reason));
});
