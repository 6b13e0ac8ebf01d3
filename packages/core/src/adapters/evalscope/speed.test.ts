import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/evalscope-speed/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

// https://github.com/modelscope/evalscope/blob/main/docs/en/experiments/speed_benchmark/QwQ-32B-Preview.md
test('reads each row as one request at a time, with the settings of the command', () => {
  const results = read(fixture('0.7-transformers.md'));
  expect(results.map(({ scenario, metrics }) => [scenario.inputTokens?.value, metrics])).toEqual([
    [1, { output_tok_s: 17.92 }],
    [6144, { output_tok_s: 12.61 }],
    [14_336, { output_tok_s: 9.01 }],
    [30_720, { output_tok_s: 5.61 }],
  ]);
  expect(results[0]).toMatchObject({
    system: { model: { value: 'Qwen/QwQ-32B-Preview' }, engine: { value: 'transformers', origin: 'inferred' } },
    scenario: { outputTokens: { value: 2048, origin: 'context' } },
    load: { mode: 'concurrency', level: 1 },
  });
});

test('reads the grid of later versions', () => {
  const results = read(fixture('1.0-endpoint.txt'));
  expect(results.map(({ metrics }) => metrics.output_tok_s)).toEqual([50.69, 49.36]);
  expect(results[0]?.system.engine).toBeNull();
});

// The speed of one of several requests in flight is not the throughput of the server.
test.each(['--parallel 4', '--parallel 1 2'])('rejects the table of a run with %s by name', (parallel) => {
  const text = fixture('1.0-endpoint.txt').replace('--parallel 1', parallel);
  expect(() => read(text)).toThrow("evalscope's speed benchmark");
});

test('rejects a table without its command, and a cut row', () => {
  const text = fixture('1.0-endpoint.txt');
  expect(() => read(text.slice(text.indexOf('\n')))).toThrow("evalscope's speed benchmark");
  expect(() => read(text.replace('49.36', '…'))).toThrow('line 9');
});
