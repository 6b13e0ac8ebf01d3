import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { readArtifact } from '../index.ts';
import { folderOf } from './perf-tables.ts';

const root = new URL('../../../fixtures/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(`evalscope-perf/${name}`, root), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));

function faultsOf(text: string): readonly Fault[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

const seconds = textOf('1.2-seconds.txt');
const boxes = textOf('1.9-two-loads.txt');

describe('grids in seconds', () => {
  const [result] = read(seconds).results;

  // Read as ms, 0.1 s to the first token would be faster than any server.
  test('reads the unit from the label', () => {
    expect(result?.metrics).toMatchObject({
      ttft_ms_mean: 100,
      tpot_ms_mean: 10,
      itl_ms_mean: 10.1,
      e2e_ms_mean: 1100,
    });
    expect(result?.metrics).toMatchObject({ ttft_ms_p50: 100, ttft_ms_p99: 110, e2e_ms_p95: 1188 });
    expect(result?.extra).toMatchObject({ ttft_ms_p75: 102 });
  });

  test('defines ITL per chunk and TPOT without the first token', () => {
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      itl_ms: 'per_chunk',
      e2e_ms: 'request',
    });
  });

  test('reads counts, rates and totals', () => {
    expect(result?.metrics).toMatchObject({ duration_s: 55, requests_ok: 200, req_s: 3.6364, output_tok_s: 367.2727 });
    expect(result?.metrics).toMatchObject({ input_tokens: 200_000, output_tokens: 20_200 });
    expect(result?.load).toEqual({ mode: 'concurrency', level: 4 });
  });

  test('reads the model, data set and lengths from the command above', () => {
    expect(result?.system.model).toEqual({ value: 'example-org/example-8b', origin: 'context' });
    expect(result?.scenario).toMatchObject({
      inputTokens: { value: 1000, origin: 'context' },
      outputTokens: { value: 101, origin: 'context' },
      dataset: { value: 'random', origin: 'context' },
    });
  });

  test('infers the model from the output folder if there is no command', () => {
    const { results } = read(seconds.slice(seconds.indexOf('2025-11-24')));
    expect(results[0]?.system.model).toEqual({ value: 'example-8b', origin: 'inferred' });
    expect(results[0]?.scenario.lengths?.inputTokens).toBe(1000);
  });

  test('computes a total from a rounded mean only if the rounding cannot hide a token', () => {
    const many = (count: string) =>
      read(seconds.replace(/(Total|Succeed) requests( +)\| +200/g, `$1 requests$2| ${count}`));
    expect(many(' 999').results[0]?.metrics.output_tokens).toBe(100_899);
    expect(many('1000').results[0]?.metrics.output_tokens).toBeUndefined();
  });

  test('reads a concurrency equal to the number of requests as a burst', () => {
    const burst = read(seconds.replace(/(Number of concurrency +\| +)4 /, '$1200 '));
    expect(burst.results[0]?.load).toEqual({ mode: 'burst', level: 200 });
  });

  // Before the row of gaps was added, the label had four successive formulas.
  test('omits TPOT if there is no ITL row', () => {
    const older = read(seconds.replace(/\| Average inter-token latency.*\n.*\n/, ''));
    expect(Object.keys(older.results[0]?.metrics ?? {}).filter((name) => name.startsWith('tpot'))).toEqual([]);
    expect(older.results[0]?.metrics.ttft_ms_mean).toBe(100);
  });
});

describe('responses that were not streamed', () => {
  const [result] = read(textOf('0.11-one-piece.md')).results;

  test('have no first token', () => {
    expect(Object.keys(result?.metrics ?? {}).filter((name) => /^(?:ttft|tpot|itl)/.test(name))).toEqual([]);
    expect(result?.metrics).toMatchObject({ e2e_ms_mean: 4000, e2e_ms_p99: 4400, req_s: 2, output_tok_s: 400 });
    expect(result?.notes).toEqual([expect.objectContaining({ code: 'not_streamed', severity: 'info' })]);
  });

  test('name the model in the path of the database', () => {
    expect(result?.system.model).toEqual({ value: 'example-1.5b', origin: 'inferred' });
  });
});

describe('boxes in ms', () => {
  const { results } = read(boxes);

  test('reads one result for each load, with its lines', () => {
    expect(results.map(({ load }) => load)).toEqual([
      { mode: 'concurrency', level: 8 },
      { mode: 'rate', level: 5, burstiness: 1 },
    ]);
    expect(results.map(({ lines }) => lines)).toEqual([
      { from: 3, to: 35 },
      { from: 38, to: 73 },
    ]);
  });

  test('reads latency in seconds next to token times in ms', () => {
    expect(results[0]?.metrics).toMatchObject({
      e2e_ms_mean: 1400,
      ttft_ms_mean: 200,
      ttft_ms_p99: 220,
      itl_ms_min: 9.6,
    });
    expect(results[0]?.metrics.e2e_ms_max).toBe(1680);
  });

  test('reads request counts from one row, and cache hits of conversations', () => {
    expect(results[1]?.metrics).toMatchObject({ requests_ok: 88, requests_failed: 2 });
    expect(results[1]?.system.features).toEqual({ prefix_caching: true });
    expect(results[1]?.extra).toMatchObject({ multi_turn: true, concurrency: 8 });
    expect(results[1]?.notes.map(({ code }) => code)).toEqual(['multi_turn', 'prefix_cache_hits']);
  });

  test('ignores colours, CRLF line ends and wrapped lines', () => {
    const dirty = boxes.replaceAll('\n', '\r\n').replaceAll('evalscope - INFO', '\u001b[32mevalscope - INFO\u001b[0m');
    expect(read(dirty).results.map(({ metrics }) => metrics)).toEqual(results.map(({ metrics }) => metrics));
    const wrapped = seconds.replace(/(\| Average time per) (output token)/, '$1\n $2');
    expect(wrapped).not.toBe(seconds);
    expect(read(wrapped).results[0]?.metrics.tpot_ms_mean).toBe(10);
  });
});

describe('rejects', () => {
  test('a run in which all requests failed', () => {
    expect(faultsOf(textOf('1.9-all-failed.refused.txt'))[0]).toMatchObject({ code: 'nothing_measured', line: 1 });
  });

  test('all invalid values at once, and a row that does not fit its header', () => {
    const faults = faultsOf(textOf('1.2-wrong-values.refused.txt'));
    expect(faults.map(({ code, line }) => [line, code])).toEqual([
      [9, 'value_unreadable'],
      [11, 'value_unreadable'],
      [13, 'value_unreadable'],
      [20, 'row_uneven'],
    ]);
  });

  test('a table that explains the metrics', () => {
    const text =
      '| 指标 | 含义 |\n| --- | --- |\n| Time taken for tests (s) | the whole time |\n| Number of concurrency | users |\n';
    expect(faultsOf(text).map(({ code }) => code)).toContain('tool_unrecognised');
  });

  test('a summary truncated after its counts', () => {
    const cut = seconds.slice(0, seconds.indexOf('| Output token throughput'));
    expect(faultsOf(cut)[0]).toMatchObject({ code: 'block_cut' });
  });

  test('reads or rejects a log truncated at any position, without wrong values', () => {
    const whole = read(seconds).results[0]?.metrics ?? {};
    fc.assert(
      fc.property(fc.integer({ min: 1, max: seconds.length }), (end) => {
        try {
          const [result] = read(seconds.slice(0, end)).results;
          for (const [name, value] of Object.entries(result?.metrics ?? {})) expect(whole).toHaveProperty(name, value);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
        }
      }),
      { numRuns: 100 },
    );
  });
});

test.each([
  ['outputs/20250213_103632/example-1.5b/benchmark_data.db', 'example-1.5b'],
  ['Save the result to: ./outputs/20260814_085500/example', 'example'],
  ['/data/outputs/example/benchmark_data.db', null],
  ['outputs/20250213_103632', null],
])('reads the model folder from %j', (text, folder) => {
  expect(folderOf(text)).toBe(folder);
});

describe('layouts of 2024', () => {
  // https://github.com/modelscope/evalscope/issues/103
  test('reads a summary without a grid, in seconds', () => {
    const { results, ignored } = read(textOf('2024-08-no-grid.txt'));
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      load: { mode: 'burst', level: 100 },
      scenario: { lengths: { inputTokens: 28.89, outputTokens: 200.64 } },
      metrics: { duration_s: 22.512, req_s: 4.442, output_tok_s: 891.275, requests_ok: 100, requests_failed: 0 },
      lines: { from: 1, to: 34 },
    });
    expect(results[0]?.metrics).toMatchObject({ ttft_ms_mean: 2701, ttft_ms_p50: 2713.7, ttft_ms_p99: 2984.7 });
    expect(results[0]?.metrics).toMatchObject({ e2e_ms_mean: 14_140, e2e_ms_p95: 20_170.7 });
    // It is the inverse of the throughput of all requests.
    expect(ignored).toContain('Average time per output token');
  });

  // A report of runs with vLLM on a Jetson AGX Orin
  test('reads several runs, and omits token times of responses in one piece', () => {
    const { results } = read(textOf('2024-not-streamed.md'));
    expect(results.map(({ load }) => load)).toEqual([
      { mode: 'concurrency', level: 1 },
      { mode: 'burst', level: 10 },
    ]);
    expect(results.map(({ metrics }) => metrics.e2e_ms_mean)).toEqual([45_798, 37_731]);
    for (const { metrics } of results) expect(metrics.ttft_ms_mean).toBeUndefined();
  });

  // The guide to stress tests of evalscope 0.7
  test('reads the first grid, whose latencies have no unit', () => {
    expect(read(textOf('0.7-first-grid.md')).results[0]).toMatchObject({
      system: { model: { value: 'qwen2.5', origin: 'context' } },
      load: { mode: 'concurrency', level: 1 },
      metrics: { duration_s: 7.539, req_s: 1.99, output_tok_s: 334.006, ttft_ms_mean: 26, e2e_ms_mean: 492 },
    });
  });

  test('omits a number that ends too early', () => {
    const text = textOf('2024-08-no-grid.txt');
    const { results } = read(`${text.slice(0, text.indexOf('891.275') + 5)}\n`);
    expect(results[0]?.metrics).toMatchObject({ e2e_ms_mean: 14_140 });
    expect(results[0]?.metrics.output_tok_s).toBeUndefined();
  });

  test('reads the rate of paced requests from the command', () => {
    const paced = textOf('0.7-first-grid.md').replace('--parallel 1', '--rate 2');
    expect(read(paced).results[0]?.load).toEqual({ mode: 'rate', level: 2, burstiness: 1, maxConcurrency: 1 });
    const [busy] = read(paced.replace('--rate 2', '--rate 10')).results;
    expect(busy?.load).toEqual({ mode: 'concurrency', level: 1 });
    expect(busy?.notes).toMatchObject([{ code: 'rate_not_reached' }]);
  });
});

describe('reports of all loads', () => {
  // https://github.com/modelscope/evalscope/blob/main/docs/en/best_practice/gpt_oss.md of January 2026
  test('reads one result for each row, with the number of requests in the command', () => {
    const { results, ignored } = read(textOf('1.0-all-loads.md'));
    expect(results.map(({ load }) => load)).toEqual([1, 10, 50, 100].map((level) => ({ mode: 'concurrency', level })));
    expect(results.map(({ metrics }) => [metrics.requests_ok, metrics.req_s, metrics.output_tok_s])).toEqual([
      [5, 0.15, 150.34],
      [20, 0.96, 986.63],
      [100, 2.47, 2529.14],
      [200, 3.37, 3455.61],
    ]);
    expect(results[3]?.metrics).toMatchObject({ e2e_ms_mean: 29_570, e2e_ms_p99: 35_594, ttft_ms_mean: 2354 });
    expect(results[3]?.metrics).toMatchObject({ ttft_ms_p99: 6936, requests_failed: 0 });
    expect(results[0]?.system.model).toEqual({ value: 'gpt-oss-20b', origin: 'context' });
    expect(ignored).toContain('TPOT (s)');
  });

  test('joins the rows of both tables, and computes the failed requests', () => {
    const { results } = read(textOf('1.8-all-loads.txt'));
    expect(results.map(({ load }) => load)).toEqual([1, 8].map((level) => ({ mode: 'concurrency', level })));
    expect(results[1]?.metrics).toEqual({
      req_s: 5.71,
      output_tok_s: 577.14,
      requests_ok: 63,
      requests_failed: 1,
      e2e_ms_mean: 1400,
      e2e_ms_p50: 1390,
      e2e_ms_p99: 1540,
      e2e_ms_max: 1680,
      ttft_ms_mean: 200,
      ttft_ms_p50: 198,
      ttft_ms_p99: 220,
      ttft_ms_max: 240,
      tpot_ms_mean: 12,
      tpot_ms_p50: 11.9,
      tpot_ms_p99: 13.2,
      tpot_ms_max: 14.4,
    });
    expect(results[1]?.scenario.lengths).toEqual({ inputTokens: 1000, outputTokens: 101 });
    expect(results[1]?.system.model?.value).toBe('example-8b');
  });

  test('leaves out loads whose summary precedes the report', () => {
    const report = textOf('1.8-all-loads.txt').replace('│    8 │    - │  64 │ 5.71', '│    8 │    - │ 400 │ 5.71');
    const { results } = read(`${boxes.slice(0, boxes.indexOf('Save the summary'))}\n${report}`);
    expect(results.map(({ load, metrics }) => [load?.level, metrics.req_s])).toEqual([
      [8, 5.71],
      [1, 0.91],
    ]);
    expect(results[0]?.metrics.duration_s).toBe(70);
  });

  test('warns about failures if the number of requests is not known', () => {
    const text = textOf('1.0-all-loads.md').replace('--number 5 20 100 200', '').replace('100.0%│', ' 95.5%│');
    const [first] = read(text).results;
    expect(first?.metrics.requests_failed).toBeUndefined();
    expect(first?.notes.map(({ code }) => code)).toEqual(['requests_failed']);
    expect(first?.extra).toEqual({ success_percent: 95.5 });
  });

  test('names a truncated column and reports a truncated figure', () => {
    const text = textOf('1.0-all-loads.md');
    const { results, ignored } = read(text.replace('┃ TTFT(s) ┃  TPOT', '┃ TTFT(… ┃  TPOT'));
    expect(results[0]?.metrics.ttft_ms_p99).toBeUndefined();
    expect(results[0]?.metrics.ttft_ms_mean).toBe(94);
    expect(ignored).toContain('p99 ttft(…');
    expect(faultsOf(text.replace(' 150.34', ' 150.…'))[0]).toMatchObject({ code: 'value_unreadable', line: 40 });
  });
});

describe('files', () => {
  test('reads benchmark_summary.json with the percentiles that follow', () => {
    const [result, ...others] = read(textOf('1.2-files.json')).results;
    expect(others).toEqual([]);
    expect(result).toMatchObject({
      load: { mode: 'concurrency', level: 4 },
      metrics: {
        duration_s: 55,
        req_s: 3.6364,
        ttft_ms_mean: 100,
        ttft_ms_p99: 110,
        e2e_ms_p50: 1090,
        tpot_ms_p99: 11,
      },
      lines: { from: 1, to: 41 },
    });
  });

  test('reads the names of 2026, in ms', () => {
    const text = `{"Test Duration (s)": 70.0, "Concurrency": 8, "Request Rate (req/s)": -1.0, "Total Requests": 400,
      "Success Requests": 398, "Failed Requests": 2, "Stream Requests": 398, "Req Throughput (req/s)": 5.69,
      "Avg Latency (s)": 1.4, "Avg Input Tokens": 1024.0, "Output Throughput (tok/s)": 577.14, "Avg TTFT (ms)": 200.0,
      "Avg TPOT (ms)": 12.0, "Avg ITL (ms)": 12.1, "Avg Output Tokens": 101.0}`;
    expect(read(text).results[0]?.metrics).toEqual({
      duration_s: 70,
      requests_ok: 398,
      requests_failed: 2,
      req_s: 5.69,
      e2e_ms_mean: 1400,
      output_tok_s: 577.14,
      ttft_ms_mean: 200,
      tpot_ms_mean: 12,
      itl_ms_mean: 12.1,
    });
  });
});
