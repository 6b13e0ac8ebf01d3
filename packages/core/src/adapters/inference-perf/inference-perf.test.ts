import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const root = new URL('../../../fixtures/', import.meta.url);
const load = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));
const read = (value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return readArtifact(new TextEncoder().encode(text));
};

function faultsOf(value: unknown): readonly Fault[] {
  try {
    read(value);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

describe('a stage', () => {
  const stage = load('inference-perf/2025-11-stage.json');
  const [result] = read(stage).results;

  // Reading seconds as milliseconds would make every server a thousand times faster.
  test('converts seconds to milliseconds', () => {
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 200, ttft_ms_p99: 236, tpot_ms_mean: 10, e2e_ms_p90: 1320 });
    expect(result?.extra).toMatchObject({ ttft_ms_p75: 210, ttft_ms_p999: 240 });
  });

  test('defines TPOT without the first token and ITL per chunk', () => {
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      itl_ms: 'per_chunk',
      e2e_ms: 'request',
    });
  });

  test('reads counts, rates and the requested rate', () => {
    expect(result?.metrics).toMatchObject({ requests_ok: 200, requests_failed: 2, req_s: 4, output_tok_s: 404 });
    // 200 requests of 500 and 101 tokens.
    expect(result?.metrics).toMatchObject({ input_tokens: 100_000, output_tokens: 20_200 });
    expect(result?.load).toEqual({ mode: 'rate', level: 4 });
    expect(result?.extra.requests_sent).toBe(202);
    expect(result?.notes).toEqual([]);
  });

  test('computes no total from an average that gives no whole number of tokens', () => {
    stage.successes.output_len.mean = 101.003;
    expect(read(stage).results[0]?.metrics.output_tokens).toBeUndefined();
  });
});

test('reads a stage in YAML as in JSON', () => {
  const [result] = read(readFileSync(new URL('inference-perf/2025-11-stage-as-yaml.yaml', root), 'utf8')).results;
  const { lines, ...same } = read(load('inference-perf/2025-11-stage.json')).results[0] ?? {};
  expect(result).toMatchObject(same);
});

test('reads the number of users as the load, not the resulting rate', () => {
  const { results } = read(readFileSync(new URL('inference-perf/2026-07-concurrency.json', root), 'utf8'));
  expect(results[0]?.load).toEqual({ mode: 'concurrency', level: 16 });
  expect(results[0]?.metrics).toMatchObject({ duration_s: 20, input_tokens: 80_000, output_tokens: 8000 });
  expect(results[0]?.system.features).toEqual({ prefix_caching: true });
  // NaN means missing.
  expect(results[0]?.metrics.itl_ms_max).toBeUndefined();
});

test('omits token latencies if responses were not streamed', () => {
  const [result] = read(load('inference-perf/2025-08-no-streaming.json')).results;
  expect(Object.keys(result?.metrics ?? {}).filter((name) => /^(?:ttft|tpot|itl)/.test(name))).toEqual([]);
  expect(result?.metrics.e2e_ms_p50).toBe(1900);
});

test('has no load for a summary of all stages, and warns about it', () => {
  const [result] = read(load('inference-perf/2025-08-no-streaming.json')).results;
  expect(result?.load).toBeNull();
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'load_unknown', severity: 'warning' }));
});

test.each([
  [5.7, false],
  [5.69, true],
])('notes whether the rate was not sent, with %f of 6 requests per second', (sent, isLate) => {
  const stage = load('inference-perf/2025-11-stage.json');
  Object.assign(stage.load_summary, { requested_rate: 6, achieved_rate: sent });
  const codes = read(stage).results[0]?.notes.map((note) => note.code);
  expect(codes).toEqual(isLate ? ['rate_not_sent'] : []);
});

test('reports token counts that include a start token, and checks them with a tolerance', () => {
  const [result] = read(load('inference-perf/2025-11-start-tokens.json')).results;
  // 1000 ms after the first token, with 100 tokens of 5 ms each.
  expect(result?.notes.find(({ code }) => code === 'tokens_counted_twice')?.evidence).toEqual({ ratio: 2 });
  expect(result?.tolerance?.share).toBe(1);
  expect(read(load('inference-perf/2025-11-stage.json')).results[0]?.tolerance).toBeUndefined();
});

describe('rejects', () => {
  test("metrics of the server's Prometheus, by name", () => {
    expect(faultsOf(load('inference-perf/2025-11-prometheus.refused.json'))[0]).toMatchObject({
      code: 'server_metrics',
    });
  });

  test('a run in which all requests failed', () => {
    const [fault] = faultsOf(load('inference-perf/2025-11-all-failed.refused.json'));
    expect(fault).toMatchObject({ code: 'nothing_measured', line: 1 });
  });

  test('all invalid values at once, with their locations', () => {
    const stage = load('inference-perf/2025-11-stage.json');
    stage.successes.latency.request_latency.p99 = '1.4';
    stage.successes.throughput.requests_per_sec = -4;
    stage.failures.count = 'two';
    const pointers = faultsOf(stage).map((fault) => fault.pointer);
    expect(pointers).toEqual([
      '/failures/count',
      '/successes/throughput/requests_per_sec',
      '/successes/latency/request_latency/p99',
    ]);
  });

  test('a report truncated at any position, without an unexpected error', () => {
    const text = JSON.stringify(load('inference-perf/2025-11-stage.json'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: text.length - 1 }), (end) => {
        expect(faultsOf(text.slice(0, end)).length).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });
});

test('reads two stages in one paste as two results', () => {
  const text = JSON.stringify(load('inference-perf/2025-11-stage.json'));
  expect(read(`${text}\n${text}\n`).results.map(({ lines }) => lines.from)).toEqual([1, 2]);
});
