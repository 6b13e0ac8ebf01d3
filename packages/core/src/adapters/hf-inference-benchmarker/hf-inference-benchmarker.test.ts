import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const textOf = (name: string) =>
  readFileSync(new URL(`../../../fixtures/hf-inference-benchmarker/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const json = textOf('1.1-sweep.json');
const grids = textOf('1.1-sweep-table.txt');

function faultsOf(text: string): readonly Fault[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

describe('a JSON report', () => {
  const { results, tool } = read(json);

  // A leaderboard would show the warm-up as a run with a single user.
  test('gives a result for each benchmark except the warm-up', () => {
    expect(tool.name).toBe('inference-benchmarker');
    expect(results.map(({ extra }) => extra.benchmark)).toEqual(['throughput', 'constant@2.00req/s']);
  });

  test('maps virtual users to concurrency, and arrivals to a rate', () => {
    expect(results.map(({ load }) => load)).toEqual([
      { mode: 'concurrency', level: 8 },
      { mode: 'rate', level: 2, maxConcurrency: 8 },
    ]);
  });

  test('contains counts, latencies and rates: 218 of 220 requests of 200 and 101 tokens in 60 s', () => {
    expect(results[0]?.metrics).toMatchObject({
      requests_ok: 218,
      requests_failed: 2,
      input_tokens: 43_600,
      output_tokens: 22_018,
      duration_s: 60,
      ttft_ms_mean: 180,
      ttft_ms_p99: 216,
      tpot_ms_p50: 20,
      e2e_ms_mean: 2180,
    });
    expect(results[0]?.metrics.output_tok_s).toBeCloseTo(22_018 / 60, 9);
    expect(results[0]?.metrics).not.toHaveProperty('itl_ms_mean');
    expect(results[0]?.definitions.tpot_ms).toBe('without_first_token');
  });

  test('contains the model, requested lengths and notes, but nothing about the client machine', () => {
    expect(results[0]?.system).toMatchObject({
      model: { value: 'example-org/Example-7B-Instruct', origin: 'stated' },
      engine: { value: 'tgi', origin: 'inferred' },
      engineVersion: { value: '3.0.1', origin: 'inferred' },
      parallelism: { tensor: 2 },
      gpu: null,
    });
    expect(results[0]?.scenario.inputTokens).toEqual({ value: 200, origin: 'stated' });
    expect(results[0]?.scenario.outputTokens).toEqual({ value: 100, origin: 'inferred' });
    expect(results[0]?.measuredAt).toBe('2025-02-03T09:00:00.250Z');
    expect(JSON.stringify(read(json))).not.toMatch(/jane|Example CPU/);
  });

  test('keeps the counts of a rate at which all requests failed, without latencies', () => {
    const [, dead] = read(textOf('1.1-one-rate-failed.json')).results;
    expect(dead?.metrics).toEqual({ requests_ok: 0, requests_failed: 540 });
    expect(dead?.notes).toContainEqual(expect.objectContaining({ code: 'no_request_completed', severity: 'warning' }));
  });
});

describe('the printed grids', () => {
  const { results, ignored } = read(grids);

  test('reads seconds and milliseconds by the unit in the cell', () => {
    expect(results[0]?.metrics).toEqual({
      req_s: 3.63,
      e2e_ms_mean: 2180,
      ttft_ms_mean: 180,
      tpot_ms_mean: 20,
      output_tok_s: 366.97,
      requests_ok: 218,
      requests_failed: 2,
    });
  });

  test('reads users and lengths from the parameters above', () => {
    expect(results[0]?.load).toEqual({ mode: 'concurrency', level: 8 });
    expect(results[1]?.load).toEqual({ mode: 'rate', level: 2, maxConcurrency: 8 });
    expect(results[0]?.scenario.inputTokens).toEqual({ value: 200, origin: 'stated' });
    // A tokenizer suggests the model.
    expect(results[0]?.system.model).toEqual({ value: 'example-org/Example-7B', origin: 'inferred' });
    expect(ignored).toContain('Error Rate');
  });

  test('has an unknown load without the parameters', () => {
    const [result] = read(textOf('1.1-wrapped.txt')).results;
    expect(result?.load).toBeNull();
    expect(result?.notes.map(({ code }) => code)).toContain('load_unknown');
  });

  test('reads lines broken at any width of a terminal', () => {
    const broken = (width: number) =>
      grids
        .split('\n')
        .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [''])
        .join('\n');
    const metrics = results.map((result) => result.metrics);
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 200 }), (width) => {
        expect(read(broken(width)).results.map((result) => result.metrics)).toEqual(metrics);
      }),
    );
  });
});

describe('rejects', () => {
  test('all truncated cells at once', () => {
    const faults = faultsOf(textOf('1.1-cut.refused.txt'));
    expect(faults.map(({ code, line }) => [code, line])).toEqual([
      ['cell_unreadable', 22],
      ['cell_unreadable', 22],
    ]);
  });

  test('a value in another unit than its column', () => {
    expect(faultsOf(grids.replace('180.00 ms', '0.180 sec'))[0]?.message).toContain('TTFT (avg)');
  });

  test('invalid values of a report, with their locations', () => {
    expect(faultsOf(textOf('1.1-wrong-values.refused.json')).map(({ pointer }) => pointer)).toEqual([
      '/results/1/token_throughput_secs',
      '/results/2/e2e_latency_ms/p99',
    ]);
  });

  test('a run in which all requests failed', () => {
    expect(faultsOf(textOf('1.1-all-failed.refused.json'))[0]?.code).toBe('nothing_measured');
  });

  test('a truncated report', () => {
    expect(faultsOf(json.slice(0, 700))[0]?.code).toBe('json_broken');
  });

  test('a report of a sibling program', () => {
    const theirs = JSON.stringify({ config: { client_args: {} }, results: [], system: {}, cmd: '' });
    expect(() => read(theirs)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  });
});
