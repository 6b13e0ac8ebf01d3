import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offlineLoad } from '../../subjects/load.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-bench-throughput/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const line = 'Throughput: 4.00 requests/s, 2000.00 total tokens/s, 800.00 output tokens/s';

test('tokens per second of a result file are those of prompts and answers', () => {
  const [result] = read(fixture('0.7-result.json'));
  expect(result?.metrics).toEqual({ requests_ok: 200, duration_s: 50, req_s: 4, total_tok_s: 2000 });
  expect(result?.load).toEqual({ mode: 'burst', level: 200, regime: 'offline' });
  expect(result?.definitions).toEqual({});
});

test('the printed line states the output throughput, the lines after it the totals', () => {
  const [result] = read(fixture('0.11-console-with-totals.txt'));
  expect(result?.metrics).toEqual({
    requests_ok: 200,
    input_tokens: 60_000,
    output_tokens: 40_000,
    req_s: 4,
    output_tok_s: 800,
    total_tok_s: 2000,
  });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 300 }, dataset: { value: 'random' } });
  expect(result?.lines).toEqual({ from: 3, to: 5 });
});

test('the older line has only the total, and without a command the number of requests is unknown', () => {
  const [result] = read(fixture('0.6.3-console-total-only.txt'));
  expect(result?.metrics).toEqual({ req_s: 4, total_tok_s: 2000 });
  expect(result?.load).toEqual(offlineLoad);
});

test('lengths count where they are those of random prompts', () => {
  const lengths = (dataset: string) =>
    read(`$ vllm bench throughput --model a/b --dataset-name ${dataset} --input-len 9 --output-len 8\n${line}`)[0]
      ?.scenario;
  expect(lengths('random')).toMatchObject({ inputTokens: { value: 9 }, outputTokens: { value: 8 } });
  expect(lengths('sharegpt')).toMatchObject({ inputTokens: null, outputTokens: null });
});

test('other engines run under the same program', () => {
  const engine = (backend: string) =>
    read(`$ python benchmark_throughput.py --model a/b --backend ${backend}\n${line}`)[0]?.system.engine;
  expect(engine('vllm')).toEqual({ value: 'vllm', origin: 'inferred' });
  expect(engine('hf')).toBeNull();
});

test.each([
  ['cut', fixture('0.11-cut.refused.txt'), '2 errors'],
  ['zero', line.replace('4.00', '0.00').replace('2000.00', '0.00'), 'nothing was measured'],
  ['of the oldest serving script', 'Throughput: 4.00 requests/s', 'No known tool'],
])('refused: %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(reason);
});

test('every rate is read as printed', () => {
  const cents = fc.integer({ min: 1, max: 1e9 }).map((value) => (value / 100).toFixed(2));
  fc.assert(
    fc.property(cents, cents, cents, (requests, total, output) => {
      const text = `Throughput: ${requests} requests/s, ${total} total tokens/s, ${output} output tokens/s`;
      expect(read(text)[0]?.metrics).toEqual({
        req_s: Number(requests),
        total_tok_s: Number(total),
        output_tok_s: Number(output),
      });
    }),
    { numRuns: 100 },
  );
});
