import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const box = fixture('genai-perf/2025-arrow.txt');

// One cell that a user marked would otherwise reject the whole box.
test('reads a figure behind an arrow that a user drew', () => {
  expect(read(box)[0]?.metrics).toMatchObject({ ttft_ms_mean: 1764.61, ttft_ms_min: 1732.66, output_tok_s: 390.78 });
});

test.each([
  ['│--->  1,764.61 │', '│  1,764.61 <-- high │'],
  ['1,757.67 │\n', '1,757.67 │ <-- why so high?\n'],
  ['1,757.67 │\n', '1,757.67 │   # why so high?\n'],
])('reads the same figures with %j as %j', (from, to) => {
  const edited = box.replace(from, to);
  expect(edited).not.toBe(box);
  expect(read(edited)[0]?.metrics).toEqual(read(box)[0]?.metrics);
});

test('still rejects a cell that is not a number', () => {
  expect(() => read(box.replace('--->  1,764.61', '--->  fast'))).toThrow();
});

// From AIPerf's description of its files. Only AIPerf's reports have a first percentile.
test('reads a report of AIPerf without its configuration', () => {
  const report = fixture('aiperf/2025-08-without-config.json');
  const [result] = read(report);
  expect(result?.metrics).toMatchObject({ ttft_ms_p50: 44.452151, e2e_ms_mean: 6655.520201949999, requests_ok: 80 });
  expect(result?.load).toBeNull();
  expect(() => read(report.replaceAll(/"p1": [\d.]+,/g, ''))).toThrow();
});

// A box of GenAI-Perf from mid-2024, without streaming.
test('reads the length of responses under its name of mid-2024', () => {
  const [result] = read(`                          LLM Metrics
┏━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓
┃            Statistic ┃           avg ┃           min ┃           max ┃           p99 ┃
┡━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩
│ Request latency (ns) │ 4,110,623,430 │ 2,272,022,940 │ 5,252,536,691 │ 5,217,352,175 │
│     Num output token │           331 │           189 │           414 │           412 │
└──────────────────────┴───────────────┴───────────────┴───────────────┴───────────────┘
`);
  expect(result?.metrics).toMatchObject({ e2e_ms_mean: 4110.62343, e2e_ms_p99: 5217.352175 });
  expect(result?.scenario.lengths).toEqual({ inputTokens: null, outputTokens: 331 });
});
