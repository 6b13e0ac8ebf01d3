import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/mistralrs-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const table = fixture('2024-04-a10.md');

// https://github.com/EricLBuehler/mistral.rs/issues/139
test('reads prompt and generation speeds', () => {
  const { tool, results } = read(table);
  expect(tool.name).toBe('mistralrs bench');
  expect(results).toHaveLength(2);
  expect(results[0]).toMatchObject({
    system: { model: { value: 'mistralai/Mistral-7B-Instruct-v0.1' }, engine: { value: 'mistral.rs' } },
    scenario: { inputTokens: { value: 0 }, outputTokens: { value: 128 }, depth: null },
    load: { mode: 'batch', level: 1 },
    metrics: { decode_tok_s: 73.838, user_tok_s: 73.838 },
    definitions: { decode_tok_s: 'in_process', user_tok_s: 'in_process' },
    extra: { tok_s_sd: 0.496 },
  });
  expect(results[1]).toMatchObject({
    scenario: { inputTokens: { value: 512 }, outputTokens: { value: 0 } },
    metrics: { prefill_tok_s: 1141.041 },
  });
});

// https://github.com/EricLBuehler/mistral.rs/pull/166: the first layout has no deviation.
test('reads several requests, and ignores their prompt speed', () => {
  const several = table
    .replace('    73.838±0.496 | 13.544±0.092 |           1 |     73.83816', '59.78263 | 16.727266 | 4 | 239.13052')
    .replace('0.877±0.023 |           1', '0.877±0.023 |           4');
  const { results, ignored } = read(several);
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({
    load: { mode: 'batch', level: 4 },
    metrics: { user_tok_s: 59.78263, decode_tok_s: 239.13052 },
    extra: {},
  });
  expect(ignored).toContain('prompt speeds of several requests');
});

test('reads the boxes of the later command, with its model, depth and quantization', () => {
  const { results } = read(fixture('example-2026-depth.txt'));
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { prefill_tok_s: 2000 },
    { decode_tok_s: 80, user_tok_s: 80 },
  ]);
  expect(results[1]).toMatchObject({
    system: {
      model: { value: 'example/Example-8B', origin: 'stated' },
      quantization: { value: 'q4k', origin: 'context' },
    },
    scenario: { outputTokens: { value: 128 }, depth: 512 },
  });
});

test('rejects a truncated cell, and a table of another program', () => {
  expect(() => read(fixture('2024-04-cut-row.refused.txt'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'row_unreadable', line: 5 })] }),
  );
  expect(() => read('| Test | T/s | Memory |\n| Prefill (512 tokens) | 2000 | 3 |')).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});
