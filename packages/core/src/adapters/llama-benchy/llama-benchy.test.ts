import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';
import { parseBenchyStat, parseBenchyTest } from './table.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const table = fixture('llama-benchy/0.4-context.md');
const report = fixture('llama-benchy/0.2-report.json');

test('reads prompt and response rows with totals and speeds per user', () => {
  const reading = readArtifact(bytes(table));
  expect(reading.tool).toEqual({ name: 'llama-benchy', version: '0.4.0' });
  const [prompt, answer] = reading.results;
  expect(prompt?.metrics).toEqual({ prefill_tok_s: 5000, ttft_ms_mean: 901, ttft_ms_sd: 8 });
  expect(prompt?.definitions).toEqual({ prefill_tok_s: 'client', ttft_ms: 'send_to_first_token' });
  expect(answer?.metrics).toEqual({ decode_tok_s: 50, user_tok_s: 50 });
  const last = reading.results.at(-1);
  expect(last?.metrics).toEqual({ decode_tok_s: 85, user_tok_s: 18 });
  // A peak covers one second.
  expect(last?.extra).toMatchObject({ peak_output_tok_s: 105, peak_user_tok_s: 21 });
  expect(last?.load).toEqual({ mode: 'concurrency', level: 5 });
});

// The same responses after a different prompt are not a repetition.
test('gives both rows of a test one workload, and the context phase a separate one', () => {
  const workloads = read(table).map(({ scenario, extra }) => [
    scenario.inputTokens?.value,
    scenario.outputTokens?.value,
    scenario.depth,
    extra.phase,
  ]);
  expect(workloads).toEqual([
    [4096, 256, null, undefined],
    [4096, 256, null, undefined],
    [8192, undefined, null, 'context'],
    [8192, undefined, null, 'context'],
    [4096, 256, 8192, undefined],
    [4096, 256, 8192, undefined],
  ]);
});

// The tool divides by n, we divide by n - 1: over 3 runs, 1.00 becomes 1.2247.
test('converts the deviation to that of a sample if the number of runs is known', () => {
  expect(read(table)[1]?.repeats).toEqual({ n: 3, sd: { decode_tok_s: Math.sqrt(1.5) }, samples: null });
  expect(read(table.replace('--runs 3', ''))[1]?.repeats).toEqual({ n: null, sd: {}, samples: null });
  expect(read(table.replace('--runs 3', '--runs 1'))[0]?.metrics).not.toHaveProperty('ttft_ms_sd');
});

test('reads one user if there are no columns for concurrency', () => {
  const [, answer] = read(fixture('llama-benchy/0.2-one-user.md'));
  expect(answer?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(answer?.metrics).toEqual({ decode_tok_s: 60, user_tok_s: 60 });
  expect(answer?.system.model).toEqual({ value: 'org/example-8b', origin: 'stated' });
});

test('reads complete tests of a report with their samples', () => {
  const [first, context, cached] = read(report);
  expect(first?.metrics).toEqual({
    prefill_tok_s: 1002,
    decode_tok_s: 51,
    user_tok_s: 51,
    ttft_ms_mean: 2046,
    ttft_ms_sd: 4,
  });
  expect(first?.repeats).toMatchObject({ n: 2, samples: { decode_tok_s: [50, 52] } });
  expect(first?.repeats?.sd.decode_tok_s).toBeCloseTo(Math.sqrt(2), 12);
  expect(first?.measuredAt).toBe('2026-02-07T19:09:00Z');
  expect(first?.system).toMatchObject({ quantization: { value: 'awq', origin: 'inferred' }, engine: null, gpu: null });
  expect(context?.scenario).toMatchObject({ inputTokens: { value: 4096 }, depth: null });
  // The first token was not measured, so the report has null.
  expect(cached?.metrics).toEqual({ prefill_tok_s: 2000, decode_tok_s: 98, user_tok_s: 49 });
  expect(cached?.scenario.depth).toBe(4096);
});

test.each(['test', 'default'])('reads no model from the placeholder %j', (alias) => {
  expect(read(report.replaceAll('org/example-8b-awq', alias))[0]?.system.model).toBeNull();
});

test.each([
  ['a truncated table', table.slice(0, table.lastIndexOf('85.00')), 12],
  ['a truncated report', report.slice(0, -200), undefined],
])('rejects %s', (_, text, line) => {
  const faults = line === undefined ? undefined : [expect.objectContaining({ line })];
  expect(() => read(text)).toThrow(
    expect.objectContaining(faults === undefined ? { code: 'tool_unrecognised' } : { faults }),
  );
});

test.each(['llama-bench/b6413-power-limit.txt', 'llama-batched-bench/2025-log.txt'])('does not claim %s', (name) => {
  expect(() => readArtifact(bytes(fixture(name)), { tool: 'llama-benchy' })).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});

test.each([
  ['pp2048', { isPrompt: true, isContextPhase: false, tokens: 2048, contextTokens: 0, concurrency: 1 }],
  ['tg32 @ d4096 (c5)', { isPrompt: false, isContextPhase: false, tokens: 32, contextTokens: 4096, concurrency: 5 }],
  ['ctx_pp @ d4096', { isPrompt: true, isContextPhase: true, tokens: null, contextTokens: 4096, concurrency: 1 }],
  ['ctx_pp', null],
  ['ctx_pp2048 @ d4096', null],
  ['pp', null],
  ['pp512 (c0)', null],
  ['pp512+tg128', null],
])('parses the test %j', (text, expected) => {
  expect(parseBenchyTest(text)).toEqual(expected);
});

test('parses cells as written, and empty cells as missing', () => {
  const cents = fc.integer({ min: 0, max: 1e8 }).map((value) => value / 100);
  fc.assert(
    fc.property(cents, cents, (mean, sd) => {
      expect(parseBenchyStat(` ${mean.toFixed(2)} ± ${sd.toFixed(2)} `)).toEqual({ mean, sd, values: null });
    }),
  );
  expect(parseBenchyStat('  ')).toBeUndefined();
  for (const broken of ['12 ±', '12 ± x', '1 ± 2 ± 3', '1,38…', '-1 ± 2']) expect(parseBenchyStat(broken)).toBeNull();
});

test('reads the values of the printed table from CSV, with all digits', () => {
  const results = read(fixture('llama-benchy/0.3-two-users.csv'));
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { prefill_tok_s: 5000.5, ttft_ms_mean: 820.5, ttft_ms_sd: 4.5 },
    { decode_tok_s: 98.5, user_tok_s: 50.25 },
    { prefill_tok_s: 4500.5, ttft_ms_mean: 1370.5, ttft_ms_sd: 6.5 },
    { decode_tok_s: 90.5, user_tok_s: 46.25 },
  ]);
  expect(results.map(({ scenario, load }) => [scenario.inputTokens?.value, scenario.depth, load?.level])).toEqual([
    [2048, null, 2],
    [2048, null, 2],
    [2048, 4096, 2],
    [2048, 4096, 2],
  ]);
});

test('reads the column names of the printed table in CSV', () => {
  const text = 'model,test,t/s,peak t/s,ttfr (ms)\nexample-org/Example-8B,tg32,60.00 ± 1.00,65.00 ± 1.00,\n';
  expect(read(text)[0]).toMatchObject({
    metrics: { decode_tok_s: 60, user_tok_s: 60 },
    extra: { peak_output_tok_s: 65 },
  });
});

test.each([
  ['a truncated row', fixture('llama-benchy/0.3-two-users.csv').trimEnd().slice(0, -3), 'has 9 cells, its header'],
  ['an invalid figure', fixture('llama-benchy/0.3-two-users.csv').replace('98.5', 'fast'), '"fast ± 0.5"'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(new RegExp(reason));
});
