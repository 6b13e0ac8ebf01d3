import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

// A client that sends hundreds of thousands of errors gets a hundred of them, without a crash or a long wait.

const load = { mode: 'concurrency', level: 8 };
const report = (results: unknown[], rest: object = {}) => JSON.stringify({ schema: 'inferboard/v1', ...rest, results });
const record = { run_name: 'a', batch_size: 1, input_len: 1, output_len: 1, latency: 1, overall_throughput: 1 };
const names = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`some_unknown_name_${i}`, value]));

function refusal(text: string): DomainError {
  try {
    readArtifact(new TextEncoder().encode(text));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

test.each<[string, string]>([
  ['unknown fields', report([{ load, metrics: { req_s: 1 } }], names(9000, 1))],
  ['unknown metrics', report([{ load, metrics: names(9000, 1) }])],
  ['unknown definitions', report([{ load, metrics: { req_s: 1 }, definitions: names(9000, 'x') }])],
  ['unknown samples', report([{ load, metrics: { req_s: 1 }, repeats: { samples: names(9000, [1]) } }])],
  ['invalid requests', report([{ load, requests: Array.from({ length: 9000 }, () => ({ ttft: 1, e2e_ms: -1 })) }])],
  ['invalid requests of invalid results', report([{ requests: Array.from({ length: 9000 }, () => 0), x: 1 }])],
  ['invalid limits', report([{ load, metrics: { req_s: 1 }, slo: names(9000, 1) }])],
  ['invalid results', report(Array.from({ length: 9000 }, () => ({ metrics: 1, x: 1 })))],
  ['invalid reports on one line', `${report([{}])} `.repeat(3000)],
  ['invalid records', `${JSON.stringify({ ...record, batch_size: 0, output_len: 0 })}\n`.repeat(9000)],
])('reports a hundred errors for thousands of %s', (_, text) => {
  const error = refusal(text);
  expect(error.code).toBe('artifact_unreadable');
  expect(error.faults).toHaveLength(100);
  expect(error.faults.filter((fault) => fault.hint?.startsWith('Did you mean')).length).toBeLessThanOrEqual(20);
});

test.each<[string, string]>([
  ['native results', report(Array.from({ length: 10_001 }, () => 0))],
  [
    'native results of several reports on one line',
    `${report(Array.from({ length: 5001 }, () => ({ load, metrics: { req_s: 1 } })))} `.repeat(2),
  ],
  ['SGLang records in one list', JSON.stringify(Array.from({ length: 10_001 }, () => record))],
  ['SGLang records', `${JSON.stringify(record)}\n`.repeat(10_001)],
  [
    'llama-bench rows',
    `| model | size | params | backend | test | t/s |\n${'| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | tg128 | 1.00 |\n'.repeat(10_001)}`,
  ],
  ['attention-gym rows', `| Operation | FW Time (ms) |\n${'| flexattention | 1.5 |\n'.repeat(10_001)}`],
])('rejects more than ten thousand %s as too many', (_, text) => {
  expect(refusal(text).code).toBe('results_too_many');
});

describe('objects', () => {
  test('with too many names are rejected as broken JSON', () => {
    expect(refusal(report([], names(10_001, 1))).faults[0]).toMatchObject({
      code: 'json_broken',
      message: expect.stringContaining('more than 10000 names'),
    });
  });

  test('are rejected if there are hundreds of thousands', () => {
    expect(refusal('{} '.repeat(200_001)).faults[0]).toMatchObject({ code: 'json_broken' });
  });
});

// Every row repeats the column names.
test('rejects a table whose columns are too wide', () => {
  const table = (column: string, cell: string) =>
    `| model | size | params | backend | test | t/s | ${column} |\n| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | tg128 | 1.00 | ${cell} |\n`;
  expect(readArtifact(new TextEncoder().encode(table('ngl', '1'))).results).toHaveLength(1);
  expect(refusal(table('x'.repeat(81), '1')).faults[0]).toMatchObject({ code: 'table_too_wide' });
  expect(refusal(table('x |'.repeat(80), '1 |'.repeat(80))).faults[0]).toMatchObject({ code: 'table_too_wide' });
});

test('lists at most a hundred unused fields', () => {
  const text = JSON.stringify({ ...record, output_throughput: 1, ...names(500, 1) });
  expect(readArtifact(new TextEncoder().encode(text)).ignored).toHaveLength(100);
});
