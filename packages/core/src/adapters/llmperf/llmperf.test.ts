import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DomainError, type Fault } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const textOf = (name: string) => readFileSync(new URL(`../../../fixtures/llmperf/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const summary = JSON.parse(textOf('2023-12-summary.json'));
const requests: Record<string, unknown>[] = JSON.parse(textOf('2023-12-individual.json'));

function faultsOf(text: string): readonly Fault[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read, and should not have been');
}

describe('a summary', () => {
  const [result] = read(JSON.stringify(summary)).results;

  test('converts seconds to milliseconds', () => {
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 300, ttft_ms_min: 265, e2e_ms_p50: 2300, e2e_ms_max: 2335 });
    expect(result?.extra.ttft_ms_p75).toBe(317.5);
  });

  // Read as the time between tokens, it would be too slow by the time to first token.
  test('defines TPOT with the first token: 2.3 s over 101 tokens', () => {
    expect(result?.metrics.tpot_ms_mean).toBeCloseTo(2300 / 101, 6);
    expect(result?.metrics).not.toHaveProperty('itl_ms_mean');
    expect(result?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'with_first_token',
      e2e_ms: 'request',
    });
  });

  test('reads system rates as metrics, and rates per request as extra values', () => {
    expect(result?.metrics.output_tok_s).toBeCloseTo(808 / 4.7, 9);
    expect(result?.metrics.req_s).toBeCloseTo(8 / 4.7, 9);
    expect(result?.metrics).not.toHaveProperty('user_tok_s');
    expect(result?.extra.request_output_tok_s_mean).toBeCloseTo(43.9, 1);
  });

  test('reads counts, including failed requests', () => {
    expect(result?.metrics).toMatchObject({
      requests_ok: 8,
      requests_failed: 1,
      input_tokens: 4000,
      output_tokens: 808,
    });
    expect(result?.extra.requests_sent).toBe(9);
  });

  test('reads the model, load and requested lengths, which measured ones may contradict', () => {
    expect(result?.system.model).toEqual({ value: 'example-org/Example-7B-Instruct', origin: 'stated' });
    expect(result?.load).toEqual({ mode: 'concurrency', level: 4 });
    expect(result?.scenario.inputTokens).toEqual({ value: 500, origin: 'stated' });
    expect(result?.scenario.outputTokens).toEqual({ value: 100, origin: 'inferred' });
    expect(result?.measuredAt).toBe('2023-12-19T11:31:33.000Z');
  });

  test('removes a provider prefix from the model name', () => {
    const routed = { ...summary, model: 'together_ai/togethercomputer/llama-2-70b-chat' };
    expect(read(JSON.stringify(routed)).results[0]?.system.model?.value).toBe('llama-2-70b-chat');
  });
});

describe('a list of requests', () => {
  const [result] = read(JSON.stringify(requests)).results;

  test('gives records, without zeros and messages of failed requests', () => {
    expect(result?.requests).toHaveLength(9);
    expect(result?.requests?.[0]).toMatchObject({ ttftMs: 265, e2eMs: 2265, inputTokens: 500, outputTokens: 101 });
    expect(result?.requests?.[8]).toMatchObject({ ttftMs: null, e2eMs: null, outputTokens: null, error: 'error 429' });
    expect(JSON.stringify(result)).not.toMatch(/jane|api\.example/);
  });

  test('gives latencies and no rates', () => {
    expect(result?.metrics).toMatchObject({ requests_ok: 8, requests_failed: 1, ttft_ms_mean: 300, e2e_ms_mean: 2300 });
    // 2 s for the 100 tokens after the first.
    expect(result?.metrics.tpot_ms_mean).toBeCloseTo(20, 9);
    expect(result?.definitions.tpot_ms).toBe('without_first_token');
    expect(result?.metrics).not.toHaveProperty('req_s');
    expect(result?.load).toBeNull();
  });

  test('reads a list and its summary in one paste as two results', () => {
    expect(read(`${JSON.stringify(requests)}\n${JSON.stringify(summary)}\n`).results).toHaveLength(2);
  });
});

describe('rejects', () => {
  test('all invalid values of a summary at once', () => {
    const faults = faultsOf(textOf('2023-12-wrong-values.refused.json'));
    expect(faults.map(({ pointer }) => pointer)).toEqual([
      '/results_ttft_s_mean',
      '/results_end_to_end_latency_s_quantiles_p99',
    ]);
  });

  test('all invalid values of a list at once, with their locations', () => {
    const wrong = [{ ...requests[0], ttft_s: '1' }, 7, { ...requests[1], number_output_tokens: 1.5 }];
    expect(faultsOf(JSON.stringify(wrong)).map(({ pointer }) => pointer)).toEqual([
      '/0/ttft_s',
      '/1',
      '/2/number_output_tokens',
    ]);
  });

  test('runs in which all requests failed', () => {
    expect(faultsOf(textOf('2023-12-all-failed.refused.json'))[0]?.code).toBe('nothing_measured');
    const none = { ...summary, results_num_completed_requests: 0, results_number_errors: 9 };
    expect(faultsOf(JSON.stringify(none))[0]?.code).toBe('nothing_measured');
  });

  test('a truncated file', () => {
    expect(faultsOf(textOf('2023-12-individual.json').slice(0, 900))[0]?.code).toBe('json_broken');
  });

  test('a request list of a sibling tool', () => {
    const theirs = requests.map(({ ttft_s, end_to_end_latency_s }) => ({ ttft: ttft_s, e2e: end_to_end_latency_s }));
    expect(() => read(JSON.stringify(theirs))).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  });
});
