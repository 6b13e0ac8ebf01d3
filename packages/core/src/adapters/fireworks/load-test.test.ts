import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/fireworks-load-test/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const users = fixture('2023-12-users.md');
const rate = fixture('2024-constant-rate.txt');

// Published in a repository of notes on serving Yi-6B.
test('reads runs with a number of users, streamed or not', () => {
  const [plain, streamed] = read(users);
  expect(plain?.metrics).toEqual({
    requests_ok: 32,
    requests_failed: 0,
    req_s: 1.0800308609840037,
    e2e_ms_mean: 3593.354136968628,
    input_tokens: 16672,
    output_tokens: 6400,
  });
  expect(plain).toMatchObject({
    load: { mode: 'concurrency', level: 4 },
    scenario: { outputTokens: { value: 200 }, lengths: { inputTokens: 521, outputTokens: 200 } },
    system: { model: { value: 'Yi-6B-Chat', origin: 'stated' }, engine: null },
    notes: [{ code: 'not_streamed' }],
  });
  expect(streamed?.metrics.ttft_ms_mean).toBe(95.43349822221596);
  expect(streamed?.extra).toEqual({ decode_ms_per_output_token: 15.952094820770412 });
});

// Published in fw-ai/benchmark, issue 5, as a question about the units, which are ms.
test('reads a constant rate', () => {
  expect(read(rate)[0]?.load).toEqual({ mode: 'rate', level: 50 });
  expect(read(rate.replace('constant', 'exponential'))[0]?.load).toEqual({ mode: 'rate', level: 50, burstiness: 1 });
});

test('reads the engine of a provider that has its own protocol', () => {
  const [result] = read(rate.replace(': openai', ': vllm'));
  expect(result?.system.engine).toEqual({ value: 'vllm', origin: 'inferred' });
});

test('reads the command of the server above a summary', () => {
  const [result] = read(`vllm serve 01-ai/Yi-6B-Chat --tensor-parallel-size 2\n${users}`);
  expect(result?.system).toMatchObject({
    engine: { value: 'vllm' },
    gpuCount: { value: 2 },
    parallelism: { tensor: 2 },
  });
});

test('rejects a label with two values, with its line', () => {
  expect(() => read(rate.replace('Qps', 'Qps : 1.5\nQps'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_repeated' })] }),
  );
});

test.each([
  ['a truncated summary', rate.slice(0, -90)],
  [
    'another summary',
    '========== Summary ==========\nModel : a\nTotal : 3\n================================================',
  ],
])('does not claim %s', (_, text) => {
  expect(() => read(text)).toThrow();
});

test('rejects a figure that is not a number, with its line', () => {
  expect(() => read(rate.replace('28838.560053018486', 'many'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_unreadable', line: 13 })] }),
  );
});
