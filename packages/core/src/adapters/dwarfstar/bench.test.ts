import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/ds4-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
// Published in antirez/ds4, speed-bench: gb10.csv, of which four rows are here below the command of its README, and m1_ultra_64gb_stream.csv.
const log = fixture('2026-07-gb10-log.txt');
const csv = fixture('2026-05-m1-ultra-stream.csv');

test('reads a prefill of the tokens since the row before, and a generation after them', () => {
  const results = read(log);
  expect(results).toHaveLength(8);
  expect(results[4]).toMatchObject({
    metrics: { prefill_tok_s: 883.81 },
    scenario: { name: null, inputTokens: { value: 2048 }, outputTokens: { value: 0 }, depth: 14_336 },
    load: { mode: 'batch', level: 1 },
    lines: { from: 11, to: 11 },
  });
  expect(results[5]).toMatchObject({
    metrics: { decode_tok_s: 16.8, user_tok_s: 16.8 },
    scenario: { inputTokens: { value: 0 }, outputTokens: { value: 128 }, depth: 16_384 },
    extra: { first_token_ms: 60.258, steady_decode_tok_s: 16.81 },
    system: { engine: { value: 'ds4' }, model: null },
  });
});

test('reads the columns of earlier releases', () => {
  const results = read(csv);
  expect(results).toHaveLength(32);
  expect(results[0]).toMatchObject({ metrics: { prefill_tok_s: 99.71 }, scenario: { depth: null } });
  expect(results[31]).toMatchObject({ metrics: { decode_tok_s: 4.9 }, scenario: { depth: 32_768 }, extra: {} });
});

// Its download script names every model ds4flash.gguf.
test('reads the model and the settings of the command', () => {
  const options = '-m gguf/GLM-5.2-Q2.gguf --kv-cache turbo3 --power 60 --quality \\\n';
  const [result] = read(log.replace('-m ds4flash.gguf \\\n', options));
  expect(result?.system).toMatchObject({
    model: { value: 'GLM-5.2-Q2.gguf', origin: 'context' },
    features: { kv_cache_dtype: 'turbo3', power_percent: 60, exact_kernels: true },
  });
  expect(read(log)[0]?.system.features).toEqual({});
});

test('skips a truncated row and speeds of 0', () => {
  expect(read(csv.slice(0, csv.indexOf(',107.86')))).toHaveLength(30);
  expect(read(csv.replace('128,5.49', '128,0.00'))).toHaveLength(31);
});

test('rejects a row that lacks a cell', () => {
  expect(() => read(csv.replace('128,5.23,', '128,'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'row_uneven', line: 3 })] }),
  );
});

// Scripts of the project put the name of a variant before these columns: its rows are of different systems.
test.each([
  ['columns in front', csv.replaceAll(/^(?=\S)/gm, '1,')],
  ['a header without rows', csv.slice(0, csv.indexOf('\n') + 1)],
])('does not claim %s', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
