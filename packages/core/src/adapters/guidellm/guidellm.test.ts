import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

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

const nothing = { mean: 0, median: 0, std_dev: 0, min: 0, max: 0, count: 0, total_sum: 0, percentiles: { p99: 0 } };
/** A distribution of 40 values around a mean; failed requests have none. */
const around = (mean: number, count = 40) => ({
  successful: {
    mean,
    median: mean * 0.98,
    mode: mean,
    variance: 1,
    std_dev: mean * 0.1,
    min: mean * 0.5,
    max: mean * 2,
    count,
    total_sum: mean * count,
    percentiles: { p001: 1, p50: mean * 0.98, p75: mean * 1.1, p90: mean * 1.2, p95: mean * 1.25, p99: mean * 1.5 },
    pdf: null,
  },
  incomplete: nothing,
  errored: nothing,
  total: nothing,
});

/** 40 requests in 10 s, 100 tokens in and 20 out: 0.2 s to the first token and 19 times 0.04 s. */
const metrics = {
  requests_per_second: around(4),
  request_concurrency: around(3.84),
  request_latency: around(0.96),
  prompt_token_count: around(100),
  output_token_count: around(20),
  time_to_first_token_ms: around(200),
  inter_token_latency_ms: around(40, 760),
  time_per_output_token_ms: around(48, 800),
  prompt_tokens_per_second: around(400),
  output_tokens_per_second: around(80),
  tokens_per_second: around(480),
};
const request_totals = { successful: 40, errored: 0, incomplete: 0, total: 40 };
const data = 'prompt_tokens=100,output_tokens=20';
const concurrent = { type_: 'concurrent', streams: 4 };

/** The same run in the layout of each generation. */
const generations: Record<string, (change?: { metrics?: object; strategy?: object; totals?: object }) => object> = {
  'until 0.3': (change = {}) => ({
    benchmarks: [
      {
        type_: 'generative_benchmark',
        args: { strategy: change.strategy ?? concurrent },
        worker: { backend_model: 'org/Name-8B', backend_target: 'http://localhost:8000' },
        request_loader: { data, processor: 'org/Name-8B' },
        metrics: { ...metrics, ...change.metrics },
        request_totals: change.totals ?? request_totals,
        start_time: 1_765_800_000,
        end_time: 1_765_800_010,
        duration: 10,
      },
    ],
  }),
  '0.4': (change = {}) => ({
    args: { data: [data] },
    benchmarks: [
      {
        config: { strategy: change.strategy ?? concurrent, backend: "type_='openai_http' model='org/Name-8B'" },
        scheduler_metrics: {
          start_time: 1_765_800_000,
          measure_start_time: 1_765_800_000,
          measure_end_time: 1_765_800_010,
        },
        metrics: { ...metrics, ...change.metrics, request_totals: change.totals ?? request_totals },
      },
    ],
  }),
  '0.5': (change = {}) => ({
    metadata: { version: 1, guidellm_version: '0.5.2' },
    args: { model: 'org/Name-8B', data: ['{"prompt_tokens": 100, "output_tokens": 20}'] },
    benchmarks: [
      {
        config: { strategy: change.strategy ?? concurrent, backend: { model: 'org/Name-8B' } },
        scheduler_metrics: {
          start_time: 1_765_800_000,
          measure_start_time: 1_765_800_000.125,
          measure_end_time: 1_765_800_010.125,
        },
        metrics: { ...metrics, ...change.metrics, request_totals: change.totals ?? request_totals },
      },
    ],
  }),
  '0.7': (change = {}) => ({
    metadata: { version: 2, guidellm_version: '0.7.1' },
    config: {
      spec: { backend: { model: 'org/Name-8B' }, data: [{ kind: 'synthetic', prompt_tokens: 100, output_tokens: 20 }] },
    },
    benchmarks: [
      {
        config: { strategy: change.strategy ?? concurrent },
        start_time: 1_765_800_000,
        duration: 10,
        metrics: { ...metrics, ...change.metrics, request_totals: change.totals ?? request_totals },
      },
    ],
  }),
};
const names = Object.keys(generations);
type Change = Parameters<NonNullable<(typeof generations)[string]>>[0];
const written = (name: string, change?: Change) => JSON.stringify(generations[name]?.(change));
const resultOf = (name: string, change?: Change) => read(written(name, change)).results[0];

describe.each(names)('a report of %s', (name) => {
  test('contains all metrics, in seconds or ms as written', () => {
    const { results, tool } = read(written(name));
    expect(results).toHaveLength(1);
    expect(tool).toEqual({ name: 'guidellm', version: { '0.5': '0.5.2', '0.7': '0.7.1' }[name] ?? null });
    expect(results[0]?.metrics).toEqual({
      requests_ok: 40,
      requests_failed: 0,
      duration_s: 10,
      input_tokens: 4000,
      output_tokens: 800,
      req_s: 4,
      input_tok_s: 400,
      output_tok_s: 80,
      total_tok_s: 480,
      ttft_ms_mean: 200,
      ttft_ms_p50: 196,
      ttft_ms_sd: 20,
      ttft_ms_min: 100,
      ttft_ms_max: 400,
      ttft_ms_p90: 240,
      ttft_ms_p95: 250,
      ttft_ms_p99: 300,
      tpot_ms_mean: 40,
      tpot_ms_p50: 39.2,
      tpot_ms_sd: 4,
      tpot_ms_min: 20,
      tpot_ms_max: 80,
      tpot_ms_p90: 48,
      tpot_ms_p95: 50,
      tpot_ms_p99: 60,
      e2e_ms_mean: 960,
      e2e_ms_p50: 940.8,
      e2e_ms_sd: 96,
      e2e_ms_min: 480,
      e2e_ms_max: 1920,
      e2e_ms_p90: 1152,
      e2e_ms_p95: 1200,
      e2e_ms_p99: 1440,
    });
    expect(results[0]?.extra).toMatchObject({ strategy: 'concurrent@4', ttft_ms_p75: expect.closeTo(220, 9) });
  });

  test('contains the formulas, model, lengths, load and time', () => {
    const result = resultOf(name);
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      e2e_ms: 'request',
    });
    expect(result?.system.model).toEqual({ value: 'org/Name-8B', origin: 'stated' });
    // The platform, if present, is the client's.
    expect(result?.system).toMatchObject({ gpu: null, engine: null, quantization: null });
    expect(result?.scenario).toMatchObject({
      inputTokens: { value: 100, origin: 'stated' },
      outputTokens: { value: 20, origin: 'stated' },
    });
    expect(result?.load).toEqual({ mode: 'concurrency', level: 4 });
    expect(result?.measuredAt).toBe('2025-12-15T12:00:00.000Z');
    expect(JSON.stringify(result)).not.toContain('localhost');
  });

  // 0.0004 s is a fast response and 960 s a slow one. Neither value identifies the unit.
  test('has request latencies in seconds, regardless of their size', () => {
    for (const seconds of [0.0004, 960]) {
      const result = resultOf(name, { metrics: { request_latency: around(seconds) } });
      expect(result?.metrics.e2e_ms_mean).toBe(seconds === 960 ? 960_000 : 0.4);
    }
    expect(resultOf(name, { metrics: { time_to_first_token_ms: around(0.2) } })?.metrics.ttft_ms_mean).toBe(0.2);
  });

  test('omits a statistic without values', () => {
    const empty = { successful: nothing, incomplete: nothing, errored: nothing, total: nothing };
    const result = resultOf(name, { metrics: { time_to_first_token_ms: empty, inter_token_latency_ms: empty } });
    expect(Object.keys(result?.metrics ?? {}).filter((metric) => /^(?:ttft|tpot)/.test(metric))).toEqual([]);
    expect(result?.definitions).toEqual({ e2e_ms: 'request' });
    expect(result?.metrics.e2e_ms_mean).toBe(960);
  });

  test('counts requests that the end cut off as neither successful nor failed', () => {
    const result = resultOf(name, { totals: { successful: 40, errored: 3, incomplete: 1, total: 44 } });
    expect(result?.metrics).toMatchObject({ requests_ok: 40, requests_failed: 3 });
    expect(result?.extra.requests_incomplete).toBe(1);
    expect(result?.notes.map(({ message }) => message)).toContain(
      '1 request was cut off by the end of the run: it neither succeeded nor failed.',
    );
  });

  test('is rejected if no request of a benchmark completed', () => {
    const failed = { successful: 0, errored: 5, incomplete: 0, total: 5 };
    expect(refusal(written(name, { totals: failed })).faults).toEqual([
      expect.objectContaining({ code: 'nothing_measured', line: 1 }),
    ]);
    const both = `${written(name)}\n${written(name, { totals: failed })}`;
    expect(refusal(both).faults[0]).toMatchObject({ code: 'nothing_measured', line: 2 });
  });

  test.each<[object, unknown, string]>([
    [{ type_: 'synchronous', max_concurrency: 1 }, { mode: 'concurrency', level: 1 }, 'synchronous'],
    [{ type_: 'concurrent', streams: 16, max_concurrency: 16 }, { mode: 'concurrency', level: 16 }, 'concurrent@16'],
    [{ type_: 'throughput', max_concurrency: null }, { mode: 'burst', level: 40 }, 'throughput'],
    [{ type_: 'throughput', max_concurrency: 40 }, { mode: 'burst', level: 40 }, 'throughput'],
    [{ type_: 'throughput', max_concurrency: 39 }, { mode: 'concurrency', level: 39 }, 'throughput'],
    [{ type_: 'constant', rate: 2.5, max_concurrency: 10240 }, { mode: 'rate', level: 2.5 }, 'constant@2.5'],
    [{ type_: 'poisson', rate: 4 }, { mode: 'rate', level: 4, burstiness: 1 }, 'poisson@4'],
    [{ type_: 'async', rate: 4 }, { mode: 'rate', level: 4 }, 'async'],
    [{ type_: 'trace' }, null, 'trace'],
    [{ type_: 'constant', rate: 0 }, null, 'constant@0'],
    [{ type_: 'concurrent' }, null, 'concurrent'],
  ])('has the load of %j', (strategy, load, named) => {
    const result = resultOf(name, { strategy });
    expect(result?.load).toEqual(load);
    expect(result?.extra.strategy).toBe(named);
    expect(result?.notes.some(({ code }) => code === 'load_unknown')).toBe(load === null);
  });

  test('keeps any mean, and converts request times to ms', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 6 }), (digits, places) => {
        const mean = Number(`${digits}e-${places}`);
        const result = resultOf(name, {
          metrics: { time_to_first_token_ms: around(mean), request_latency: around(mean) },
        });
        expect(result?.metrics.ttft_ms_mean).toBe(mean);
        expect(result?.metrics.e2e_ms_mean).toBe(Number(`${digits}e${3 - places}`));
      }),
      { numRuns: 50 },
    );
  });
});

// Before 0.4 a report has a single top-level name and is not recognised as YAML.
test.each(['0.4', '0.5', '0.7'])(
  'reads a report of %s in YAML as in JSON, also between other lines and in a fence',
  (name) => {
    const yaml = dump(generations[name]?.());
    const rest = (text: string) => read(text).results.map(({ lines, ...others }) => [lines.from, others]);
    const [[, others] = []] = rest(written(name));
    expect(rest(yaml)).toEqual([[1, others]]);
    expect(rest(`$ cat report.yaml\n${yaml}$ exit\n`)).toEqual([[2, others]]);
    expect(rest(`# Run\n\n\`\`\`yaml\n${yaml}\`\`\`\n\nMore: below.\n`)).toEqual([[4, others]]);
  },
);
