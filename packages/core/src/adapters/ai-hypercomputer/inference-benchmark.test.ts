import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const root = new URL('../../../fixtures/', import.meta.url);
const textOf = (name: string) =>
  readFileSync(new URL(`ai-hypercomputer-inference-benchmark/${name}`, root), 'utf8').trimEnd();
const read = (value: unknown) =>
  readArtifact(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)));

function faultsOf(value: unknown): readonly Fault[] {
  try {
    read(value);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

const [pooled = '', ofModel = ''] = textOf('2025-04-run-and-model.jsonl').split('\n');

describe('files since 2025-04', () => {
  const [result] = read(ofModel).results;

  test('reads all values in ms, as labeled', () => {
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 100, tpot_ms_p99: 11.8, itl_ms_p90: 11, e2e_ms_mean: 2100 });
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      itl_ms: 'per_chunk',
      e2e_ms: 'request',
    });
  });

  test('reads counts, totals and the requested rate', () => {
    expect(result?.metrics).toMatchObject({ requests_ok: 118, requests_failed: 2, duration_s: 62 });
    // 118 responses of 201 tokens.
    expect(result?.metrics).toMatchObject({ output_tokens: 23_718, input_tokens: 10_620 });
    expect(result?.load).toEqual({ mode: 'rate', level: 2, burstiness: 1 });
    expect(result?.measuredAt).toBe('2025-04-18T18:13:20.000Z');
  });

  // 120 requests were scheduled in 62 s, and 118 were answered.
  test('omits a request rate that includes failed requests', () => {
    expect(result?.metrics.req_s).toBeUndefined();
  });

  test('reads the model, and infers the engine from the protocol', () => {
    expect(result?.system.model).toEqual({ value: 'example-org/example-8b', origin: 'stated' });
    expect(result?.system.engine).toEqual({ value: 'vllm', origin: 'inferred' });
  });
});

describe('the file of all requests', () => {
  test('is skipped if the file of the model is present', () => {
    const { results } = read(`${pooled}\n${ofModel}\n`);
    expect(results.map(({ lines }) => lines.from)).toEqual([2]);
    expect(read(`${ofModel}\n${pooled}\n`).results).toHaveLength(1);
  });

  test('is read on its own, with the model inferred from the tokenizer', () => {
    const [result] = read(pooled).results;
    expect(result?.system.model).toEqual({ value: 'example-org/example-8b', origin: 'inferred' });
    expect(result?.metrics).toMatchObject({ requests_ok: 118, requests_failed: 2 });
  });

  test('is read next to the file of another run', () => {
    expect(read(`${pooled.replace('1745000000', '1745000100')}\n${ofModel}\n`).results).toHaveLength(2);
  });
});

test('before 2025-04, token times are in seconds and request times in ms', () => {
  const [result] = read(textOf('2025-03-seconds-of-tokens.json')).results;
  expect(result?.metrics).toMatchObject({ ttft_ms_mean: 100, tpot_ms_mean: 10, itl_ms_max: 12, e2e_ms_mean: 2100 });
  // No rate: all requests were sent at once, and all succeeded.
  expect(result?.load).toEqual({ mode: 'burst', level: 64 });
  expect(result?.metrics.req_s).toBe(8);
});

test('a file of one of two models has no load', () => {
  const [result] = read(textOf('2025-04-two-models.json')).results;
  expect(result?.load).toBeNull();
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'models_mixed' })]);
  // Not streamed.
  expect(result?.metrics.ttft_ms_mean).toBeUndefined();
  expect(result?.definitions).toEqual({ e2e_ms: 'request' });
});

describe('rejects', () => {
  test('a run in which all requests failed', () => {
    expect(faultsOf(textOf('2025-04-all-failed.refused.json'))[0]).toMatchObject({
      code: 'nothing_measured',
      message: expect.stringContaining('0 of 20'),
    });
  });

  test('all invalid values at once, with their locations', () => {
    expect(faultsOf(textOf('2025-04-wrong-values.refused.json')).map(({ pointer }) => pointer)).toEqual([
      '/metrics/total_output_token',
      '/metrics/p90_TTFT_ms',
      '/metrics/avg_latency_ms',
    ]);
  });

  // JetStream's fork of vLLM's client uses the same nesting with different meanings.
  test('metrics and dimensions of another program', () => {
    const other = { metrics: { request_throughput: 4, mean_ttft_ms: 100 }, dimensions: { model_id: 'x' } };
    expect(faultsOf(other).map(({ code }) => code)).toContain('tool_unrecognised');
  });

  test('a file truncated at any position, without an unexpected error', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: ofModel.length - 1 }), (end) => {
        expect(faultsOf(ofModel.slice(0, end)).length).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });
});
