import { describe, expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { bytesOf, faultsOf, native, type Report, refusal, sglang } from '../testing/artifacts.ts';
import type { Parameters } from './parameters.ts';
import { readSubmission } from './read-submission.ts';

describe('a rejection', () => {
  test('lists all missing facts', () => {
    const error = refusal(bytesOf(native({ system: {} })));
    expect(error.code).toBe('facts_missing');
    expect(faultsOf(error)).toEqual(['model_missing model', 'gpu_missing gpu', 'quantization_missing quantization']);
  });

  test('lists contradictions and missing facts together', () => {
    const error = refusal(bytesOf(native({ system: { model: 'llama-3.1-8b', gpu: 'h100-sxm', gpu_count: 2 } })), {
      model: 'llama-3.1-70b',
      gpu: 'a100-sxm4-80gb',
      gpu_count: 4,
      input_tokens: 99,
    });
    expect(error.code).toBe('facts_contradict');
    expect(faultsOf(error)).toEqual(
      expect.arrayContaining([
        'quantization_missing quantization',
        'facts_contradict model',
        'facts_contradict gpu',
        'facts_contradict gpu_count',
        'scenario_contradicted input_tokens',
      ]),
    );
  });

  test('reports an error of a thousand lines once', () => {
    const error = refusal(bytesOf(...Array.from({ length: 1000 }, () => sglang())));
    expect(faultsOf(error)).toEqual(['model_missing model', 'gpu_missing gpu']);
  });

  // A scenario that does not match is a contradiction, not a missing fact: the hint is to correct it, not to add it.
  test('of a scenario with other lengths has the code facts_contradict', () => {
    const report = native({ scenario: { input_tokens: 2048, output_tokens: 256 } });
    const error = refusal(bytesOf(report), { scenario: 'chatbot' });
    expect(faultsOf(error)).toEqual(['scenario_contradicted input_tokens']);
    expect(error.code).toBe('facts_contradict');
  });

  // In ten thousand lines, the submitter must find the right one.
  test('names the line that contradicts', () => {
    const bytes = bytesOf(sglang(), sglang(), sglang({ input_len: 1024, overall_throughput: 3900 }));
    const error = refusal(bytes, { model: 'llama-3.1-8b', gpu: 'h100-sxm', input_tokens: 2048 });
    expect(error.faults).toMatchObject([{ code: 'facts_contradict', parameter: 'input_tokens', line: 3 }]);
  });

  test('names the first line without a fact only if other lines have it', () => {
    const known = sglang();
    const unknown = sglang({ run_name: 'run' });
    const given = { model: 'llama-3.1-8b', gpu: 'h100-sxm' };
    const some = refusal(bytesOf(known, unknown, known, unknown), given);
    expect(some.faults).toMatchObject([{ code: 'quantization_missing', line: 2 }]);
    const all = refusal(bytesOf(unknown, unknown), given);
    expect(all.faults).toMatchObject([{ code: 'quantization_missing' }]);
    expect(all.faults[0]).not.toHaveProperty('line');
  });

  test('reports at most a hundred errors', () => {
    const lines = Array.from({ length: 150 }, (_, i) => sglang({ input_len: 1000 + i }));
    const given = { model: 'llama-3.1-8b', gpu: 'h100-sxm', input_tokens: 1 };
    expect(refusal(bytesOf(...lines), given).faults).toHaveLength(100);
  });

  test('names the first of several lines with the same contradiction', () => {
    const other = sglang({ input_len: 1024, overall_throughput: 3900 });
    const error = refusal(bytesOf(sglang(), other, sglang(), other), {
      model: 'llama-3.1-8b',
      gpu: 'h100-sxm',
      input_tokens: 2048,
    });
    expect(error.faults).toMatchObject([{ code: 'facts_contradict', line: 2 }]);
  });

  test.each([
    ['an empty artifact', '', 'body_empty'],
    ['blanks', '\n  \n', 'body_empty'],
    ['other text', 'hello, world', 'tool_unrecognised'],
    ['broken JSON', '{"schema": "inferboard/v1", ', 'tool_unrecognised'],
    ['a native report with a misspelt field', JSON.stringify({ ...native(), sistem: {} }), 'artifact_unreadable'],
  ])('of %s', (_, text, code) => {
    expect(refusal(new TextEncoder().encode(text)).code).toBe(code);
  });

  test('of an unknown tool names the closest one', () => {
    const error = refusal(bytesOf(native()), { tool: 'natve' });
    expect(error.code).toBe('request_invalid');
    expect(error.faults).toMatchObject([{ code: 'tool_unknown', parameter: 'tool' }]);
    expect(error.faults[0]?.hint).toContain('"native"');
  });

  test('of a run with a duration of 0', () => {
    const results = [{ load: { mode: 'burst', level: 8 }, metrics: { req_s: 4, requests_ok: 480, duration_s: 0 } }];
    expect(refusal(bytesOf(native({ results }))).code).toBe('artifact_unreadable');
  });
});

describe('text that cannot be stored or is misleading is rejected in the artifact and in parameters', () => {
  const refusedOrNot = (report: Report & Record<string, unknown>) => {
    try {
      return readSubmission(bytesOf({ ...native(), ...report }), {});
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  };

  test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00'])('a time of measurement of %s', (measured_at) => {
    expect(refusedOrNot({ results: [{ ...native().results[0], measured_at }] })).toBeNull();
  });

  test.each([
    ['a bidirectional control character', 'Llama\u202e 8B'],
    ['a control character', 'Llama\u0001 8B'],
    ['U+0000', 'Llama\u0000 8B'],
    ['a lone surrogate', 'Llama\ud800 8B'],
  ])('%s in a name', (_, name) => {
    for (const field of ['model', 'quantization', 'gpu', 'engine']) {
      expect(refusedOrNot({ system: { ...native().system, [field]: name } }), field).toBeNull();
    }
    expect(refusedOrNot({ scenario: { input_tokens: 1, output_tokens: 1, dataset: name } })).toBeNull();
  });

  test('a source_url with other characters', () => {
    const source = refusedOrNot({ source_url: 'https://example.org/a\u202eb' })?.sourceUrl ?? '';
    expect(source).toMatch(/^[\x21-\x7e]*$/);
  });

  // A denormal power limit or time per token makes the quotient infinite, which JSON cannot represent.
  test.each([
    ['a power limit', { system: { ...native().system, gpu_power_limit_w: 1e-320 } }],
    ['a time per token', { results: [{ ...native().results[0], metrics: { tpot_ms_mean: 5e-324 } }] }],
  ])('with almost zero: %s gives no infinite value', (_, report) => {
    for (const { derived } of refusedOrNot(report)?.results ?? []) {
      for (const value of Object.values(derived)) expect(Number.isFinite(value)).toBe(true);
    }
  });
});

test('a count that is too large is not reported as missing', () => {
  const error = refusal(bytesOf(native({ system: { ...native().system, gpu_count: 3_000_000_000 } })));
  expect(error.code).not.toBe('facts_missing');
});

describe('numbers too large for a column', () => {
  // Counts are stored in 32 bits. Larger ones are rejected and must not fail in the database.
  test.each<[string, Report, Parameters]>([
    ['gpu_count', { system: { ...native().system, gpu_count: 3_000_000_000 } }, {}],
    ['input_tokens', { scenario: { input_tokens: 3_000_000_000, output_tokens: 1 } }, {}],
    ['depth', { scenario: { input_tokens: 1, output_tokens: 1, depth: 3_000_000_000 } }, {}],
    ['repetition', { results: [{ ...native().results[0], repetition: 3_000_000_000 }] }, {}],
    ['a scenario by name', { scenario: 'custom' }, { scenario: 'pp512@d999999999' }],
    ['a count in the name', { system: { ...native().system, gpu: '9999xH100', gpu_count: null } }, {}],
  ])('%s', (_, report, given) => {
    let stored: (number | null | undefined)[] = [];
    try {
      const [result] = readSubmission(bytesOf(native(report)), given).results;
      const { inputTokens, outputTokens, depth } = result?.scenario ?? {};
      stored = [result?.system.gpuCount, inputTokens, outputTokens, depth, result?.repetition];
    } catch (error) {
      expect(error).toBeInstanceOf(DomainError);
    }
    for (const value of stored) expect(value ?? 0).toBeLessThan(2 ** 31);
  });
});
