import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { a3TokenRate } from '../../checks/arithmetic/a3-token-rate.ts';
import { DomainError } from '../../errors.ts';
import { answerOf, doubtsOf, makeResult } from '../../testing/result.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const refusal = (text: string) => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was read');
};

interface Report {
  benchmarks: { metrics: Record<string, unknown> }[];
}

/** A fixture with changed metrics. Each figure is the mean over successful requests. */
function changed(name: string, change: Record<string, unknown>): string {
  const report: Report = JSON.parse(fixture(`guidellm/${name}`)); // same shape as our own file
  for (const { metrics } of report.benchmarks)
    for (const [metric, value] of Object.entries(change))
      metrics[metric] = typeof value === 'number' ? { successful: { mean: value, count: 40, total_sum: 800 } } : value;
  return JSON.stringify(report);
}
const resultOf = (name: string, change: Record<string, unknown>) => read(changed(name, change)).results[0];
const totals = (successful: unknown) => ({ request_totals: { successful, errored: 0, incomplete: 0 } });

describe('a prompt that is counted twice', () => {
  const rates = { requests_per_second: 4, output_tokens_per_second: 80, prompt_token_count: 100 };

  // 80 tok/s of output and 4 req/s of 100 tokens: counted once 480, counted twice 880. The midpoint is 680.
  test.each([
    [480, 480],
    [680, 680],
    [681, 480],
    [880, 480],
  ])('a total of %d tok/s is stored as %d until 0.3', (printed, kept) => {
    const result = resultOf('0.2-prompt-counted-twice.json', { ...rates, tokens_per_second: printed });
    expect(result?.metrics.total_tok_s).toBe(kept);
    expect(result?.notes.some(({ code }) => code === 'total_counted_twice')).toBe(kept !== printed);
  });

  test('is corrected only in old versions', () => {
    expect(resultOf('0.4-constant.json', { ...rates, tokens_per_second: 880 })?.metrics.total_tok_s).toBe(880);
  });
});

describe('tolerance', () => {
  const judged = (output: number) => {
    const result = resultOf('0.4-constant.json', {
      ...totals(400),
      output_tokens_per_second: output,
      output_token_count: 2,
    });
    const { metrics: figures, tolerance } = result ?? {};
    const metrics = { requests_ok: 400, duration_s: 10.0005, output_tokens: 800, output_tok_s: figures?.output_tok_s };
    expect(figures).toMatchObject({ requests_ok: 400, output_tokens: 800, output_tok_s: output });
    return makeResult({ metrics, ...(tolerance ? { tolerance } : {}) });
  };

  // 800 tokens in 10.0005 s are 79.996 per second; 5 % of that is 4.
  test('lets A3 pass within 5 %', () => {
    expect(answerOf(a3TokenRate, judged(76.0301))).toBe('pass');
    expect(answerOf(a3TokenRate, judged(83.9301))).toBe('pass');
    expect(doubtsOf(a3TokenRate, judged(75.9301))).toHaveLength(1);
    expect(doubtsOf(a3TokenRate, judged(84.0501))).toHaveLength(1);
  });

  // With few requests, the one or two at the edges of the window are a larger share: 2.2 / n.
  test.each([
    [400, 0.05],
    [44, 0.05],
    [40, 0.055],
    [22, 0.1],
    [4, 0.5],
  ])('of %d requests is %d', (successful, share) => {
    const result = resultOf('0.4-constant.json', totals(successful));
    expect(result?.tolerance?.share).toBeCloseTo(share, 9);
  });
});

test('reads only the mean of rates', () => {
  const { metrics: figures, extra } = read(fixture('guidellm/0.5-synchronous-and-concurrent.json')).results[1] ?? {};
  const rates = Object.keys({ ...figures, ...extra }).filter((name) => /_s(?:_|$)/.test(name));
  expect(rates).toEqual(['req_s', 'input_tok_s', 'output_tok_s', 'total_tok_s', 'duration_s']);
});

describe('reports unreadable values', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['a negative figure', { request_latency: -1 }, 'request_latency/successful/mean'],
    ['text', { requests_per_second: { successful: { mean: 'fast' } } }, 'requests_per_second/successful/mean'],
    ['an invalid count', totals('all'), 'request_totals/successful'],
    ['a missing mean', { request_latency: { successful: { count: 4 } } }, 'request_latency/successful'],
  ])('%s', (_, change, place) => {
    const { faults } = refusal(changed('0.4-constant.json', change));
    expect(faults.map(({ pointer }) => pointer)).toEqual([`/benchmarks/0/metrics/${place}`]);
  });

  test('treats NaN and infinity as missing', () => {
    const text = fixture('guidellm/0.4-constant.json');
    const { metrics } =
      read(text.replaceAll('"p99": ', '"p99": NaN, "p9": ').replaceAll('"max": ', '"max": Infinity, "most": '))
        .results[0] ?? {};
    expect(metrics).toHaveProperty('ttft_ms_p95');
    for (const name of ['ttft_ms_p99', 'e2e_ms_p99', 'ttft_ms_max']) expect(metrics).not.toHaveProperty(name);
  });

  test('rejects a file truncated at any position', () => {
    const text = fixture('guidellm/0.5-synchronous-and-concurrent.json');
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      const { code, faults } = refusal(text.slice(0, Math.floor(text.length * share)));
      expect([code, faults[0]?.code]).toEqual(['tool_unrecognised', 'json_broken']);
    }
  });

  test.each([
    ["a third party's CSV", 'unread/guidellm-like.refused.csv'],
    ['html', 'unread/guidellm-report.refused.html'],
    ['console of 0.1', 'unread/guidellm-0.1-console.refused.txt'],
  ])('does not claim %s', (_, name) => {
    expect(() => readArtifact(new TextEncoder().encode(fixture(name)), { tool: 'guidellm' })).toThrow(DomainError);
  });

  test('names the unsupported format in the error', () => {
    const [html, console] = ['unread/guidellm-report.refused.html', 'unread/guidellm-0.1-console.refused.txt'];
    expect(refusal(fixture(html)).faults[0]?.message).toContain("GuideLLM's HTML report");
    expect(refusal(fixture(console)).faults[0]?.message).toContain('GuideLLM 0.1');
  });

  // The same names for latencies, in the file of another tool.
  test('does not claim a report of llm-d', () => {
    const text = 'version: "0.1"\nscenario:\n  load:\n    name: guidellm\nmetrics:\n  requests:\n    total: 3\n';
    expect(() => readArtifact(new TextEncoder().encode(text), { tool: 'guidellm' })).toThrow(
      expect.objectContaining({ code: 'tool_unrecognised' }),
    );
  });
});
