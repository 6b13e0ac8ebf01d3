import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';
import { parseUnit } from './perf-report.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const encode = (text: string) => new TextEncoder().encode(`${text}\n`);
const read = (text: string) => readArtifact(encode(text)).results;

/** A frame in pandas' format: columns right-aligned, separated by two spaces. */
function frame(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [['', ...columns], ...rows.map((row, index) => [String(index), ...row])];
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? [];
  return lines
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0))))
    .map((line) => line.join('  '))
    .join('\n');
}

test.each([
  ['Time in ms', { kind: 'ms', places: 0 }],
  ['runtime, milliseconds', { kind: 'ms', places: 0 }],
  ['us', { kind: 'ms', places: -3 }],
  ['µs', { kind: 'ms', places: -3 }],
  ['TFLOPS', { kind: 'tflop_s', places: 0 }],
  ['TFLOP/s', { kind: 'tflop_s', places: 0 }],
  ['GFLOPS', { kind: 'tflop_s', places: -3 }],
  // Bandwidth is recognised and is not one of our metrics.
  ['GB/s', null],
  ['forms', undefined],
  ['bus', undefined],
  ['', undefined],
])('parses the unit of %j: %j', (words, unit) => {
  expect(parseUnit(words)).toEqual(unit);
});

test('reads one result for each provider and row, except where the kernel did not run', () => {
  const results = read(fixture('triton-perf-report/2024-time-in-ms.txt'));
  // 3 + 2 forward, 1 + 1 backward.
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { forward_ms: 0.25 },
    { forward_ms: 0.4 },
    { forward_ms: 0.24 },
    { forward_ms: 0.9 },
    { forward_ms: 0.8 },
    { backward_ms: 0.7 },
    { backward_ms: 2.5 },
  ]);
  expect(results[4]).toMatchObject({
    kind: 'kernel',
    system: { engine: { value: 'Flash-2' }, quantization: null, gpu: null },
    scenario: { kernel: { operation: 'Flash-2', shape: [2048] } },
    extra: { x_n_ctx: 2048 },
    lines: { from: 5, to: 5 },
  });
  expect(results[1]?.system.quantization).toEqual({ value: 'fp8', origin: 'inferred' });
});

test('prefers the pass named by the column to that named by the table', () => {
  const results = read(fixture('triton-perf-report/2025-11-both-passes.txt'));
  // 700 µs are 0.7 ms.
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { forward_ms: 0.25 },
    { backward_ms: 0.7 },
    { forward_ms: 0.9 },
  ]);
});

test.each([
  ['attention-fwd', 'forward_ms'],
  ['attention_bwd_d64', 'backward_ms'],
  ['backward', 'backward_ms'],
  ['matmul-performance-fp16', 'forward_ms'],
])('reads %s as %s', (name, metric) => {
  expect(read(`${name}: (ms)\n${frame(['N', 'Triton'], [['64.0', '1.5']])}`)[0]?.metrics).toEqual({ [metric]: 1.5 });
});

test.each([
  // Upper-case name and whole numbers: another x column.
  [
    ['BATCH', 'H', 'N_CTX_Q', 'N_CTX_K', 'Triton'],
    ['4.0', '32.0', '1024.0', '2048.0', '1.5'],
    [4, 32, 1024, 2048],
  ],
  // Whole numbers, but the name of a provider.
  [['N', 'cuBLAS', 'Triton'], ['64.0', '2.0', '1.5'], [64]],
  // Upper-case name, but not whole numbers.
  [['N', 'CUBLAS', 'Triton'], ['64.0', '2.5', '1.5'], [64]],
  // The first column is x regardless of its name.
  [['size', 'Triton'], ['4096.0', '1.5'], [4096]],
  [['N', 'TRITON'], ['64.0', '2.0'], [64]],
])('reads the x columns of %j: %j', (columns, row, shape) => {
  const results = read(`gemm: (ms)\n${frame(columns, [row])}`);
  expect(results).toHaveLength(columns.length - shape.length);
  for (const { scenario } of results) expect(scenario.kernel?.shape).toEqual(shape);
});

test('reads back any frame printed by pandas', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}(?: \[FP(?:8|16)\])?$/);
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
  const figure = fc.oneof(fc.constant(null), fc.double({ min: 1e-3, max: 1e6, noNaN: true }));
  const table = names.chain((providers) =>
    fc.record({
      providers: fc.constant(providers),
      rows: fc.array(fc.array(figure, { minLength: providers.length, maxLength: providers.length }), {
        minLength: 1,
        maxLength: 8,
      }),
    }),
  );
  fc.assert(
    fc.property(table, ({ providers, rows }) => {
      const cells = rows.map((row, at) => [
        `${2 ** (at + 5)}.0`,
        ...row.map((value) => (value === null ? 'NaN' : value.toFixed(6))),
      ]);
      fc.pre(rows.flat().some((value) => value !== null));
      const results = read(`gemm: (TFLOPS)\n${frame(['N', ...providers], cells)}\ndone\n`);
      const expected = cells.flatMap(([, ...row]) => row.filter((cell) => cell !== 'NaN').map(Number));
      expect(results.map(({ metrics }) => metrics.forward_tflop_s)).toEqual(expected);
    }),
  );
});

test('reads CSV without an index, with units from the columns', () => {
  const results = read(fixture('triton-perf-report/2025-11-table.csv'));
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { forward_tflop_s: 300.5 },
    { forward_tflop_s: 280.25 },
    { forward_tflop_s: 410 },
  ]);
  expect(results[2]?.scenario.kernel?.shape).toEqual([4, 32, 2048]);
});

const two = frame(['N', 'Triton', 'Torch'], [['64.0', '1.5', '2.5']]);

test.each([
  ['a missing unit', `gemm:\n${two}`, 'It is not stated what "Triton" counts'],
  ['a bandwidth', `copy: (GB/s)\n${two}`, 'counts GB/s'],
  ['both passes at once', `gemm-fwd-bwd: (ms)\n${two}`, 'together'],
  ['omitted columns', `gemm: (ms)\n${two.replace('Triton', '...')}`, 'was cut by pandas'],
  ['columns continued below', `gemm: (ms)\n${two.replace('Torch', 'Torch  \\')}`, 'was cut by pandas'],
  ['omitted rows', `gemm: (ms)\n${two}\n..   ...  ...  ...\n9  512.0  1.5  2.5`, 'was cut by pandas'],
  ['a truncated cell', `gemm: (ms)\n${two.replace('2.5', '2…')}`, 'is not a number above 0'],
  ['a truncated row', `gemm: (ms)\n${two.replace('2.5', '')}`, 'has 3 cells, its header has|has 2 cells'],
  ['a duplicate column', `gemm: (ms)\n${two.replace(' Torch', '  Triton')}`, 'names a column twice'],
  ['a kernel faster than light', `gemm: (ms)\n${two.replace('2.5', '-2.5')}`, 'is not a number above 0'],
  ['a table without results', `gemm: (ms)\n${frame(['N', 'Triton'], [['64.0', 'NaN']])}`, 'has no figure'],
  ['an invalid x', `gemm: (ms)\n${frame(['N', 'Triton'], [['1.x', '1.5']])}`, 'does not begin with the numbers'],
])('rejects %s', (_, text, reason) => {
  const fault = expect.objectContaining({ message: expect.stringMatching(reason) });
  expect(() => read(text)).toThrow(expect.objectContaining({ faults: expect.arrayContaining([fault]) }));
});

test.each([
  ['prose with a colon', 'Results:\nThe kernel took 3 ms.\n'],
  ['a frame without a name', two],
  ["a table of a server's latencies", 'CONCURRENCY,TTFT (ms),ITL (ms)\n4,120.5,9.5\n'],
])('does not claim %s', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});

test('applies the unit of the client only to a table without a unit', () => {
  const bare = fixture('triton-perf-report/2023-no-unit.refused.txt');
  const given = (text: string, unit: 'TFLOPS' | 'ms' | 'us') => readArtifact(encode(text), { unit }).results;
  const rates = given(bare, 'TFLOPS').map(({ metrics }) => metrics.forward_tflop_s);
  expect(rates.length).toBeGreaterThan(0);
  expect(given(bare, 'ms').map(({ metrics }) => metrics.forward_ms)).toEqual(rates);
  const printed = fixture('triton-perf-report/2024-time-in-ms.txt');
  expect(given(printed, 'ms')).toEqual(read(printed));
  const refusal = (code: string) =>
    expect.objectContaining({ faults: expect.arrayContaining([expect.objectContaining({ code })]) });
  expect(() => given(printed, 'us')).toThrow(refusal('facts_contradict'));
  const other = fixture('llama-bench/b6413-power-limit.txt');
  expect(() => given(other, 'ms')).toThrow(refusal('parameter_unused'));
});

const file = new URL(
  '../../../../../../shared/real-results/triton__flash-attention_issue307_ms.console.txt',
  import.meta.url,
);

test.skipIf(!existsSync(file))('reads the published table exactly', () => {
  const results = read(readFileSync(file, 'utf8'));
  expect(results.slice(0, 3).map(({ metrics }) => metrics.forward_ms)).toEqual([0.285561, 0.447643, 0.241351]);
  expect(results.at(-1)).toMatchObject({ metrics: { forward_ms: 41.799503 }, extra: { x_n_ctx: 16_384 } });
});
