import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../errors.ts';
import { findFamily, findMetric } from '../metrics/index.ts';
import { type Parameters, parameterShape } from './parameters.ts';
import { readSubmission } from './read-submission.ts';

const encoder = new TextEncoder();
const bytesOf = (...documents: unknown[]) =>
  encoder.encode(
    documents.map((document) => (typeof document === 'string' ? document : JSON.stringify(document))).join('\n'),
  );

interface Report {
  system?: Record<string, unknown>;
  scenario?: unknown;
  results?: Record<string, unknown>[];
}
const native = (report: Report = {}) => ({
  schema: 'inferboard/v1',
  system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, engine: 'vllm' },
  scenario: 'chatbot',
  results: [
    { load: { mode: 'concurrency', level: 8 }, metrics: { ttft_ms_mean: 211, tpot_ms_mean: 20, output_tok_s: 380 } },
  ],
  ...report,
});

/** A line of SGLang's bench_one_batch_server. */
const sglang = (over: Record<string, unknown> = {}) => ({
  run_name: 'w8a8_smooth_gptq_run1',
  batch_size: 1,
  input_len: 2048,
  output_len: 32,
  latency: 0.27,
  output_throughput: 191.82,
  overall_throughput: 7660.45,
  last_gen_throughput: 180.1,
  ...over,
});
const llamaBench = [
  'build/bin/llama-bench -m /models/llama-2-7b.Q4_0.gguf',
  'ggml_cuda_init: found 1 CUDA devices:',
  '  Device 0: NVIDIA RTX PRO 6000 Blackwell Workstation Edition, compute capability 12.0, VMM: yes',
  '| model                          |       size |     params | backend    | ngl |            test |                  t/s |',
  '| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |',
  '| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | CUDA       |  99 |           tg128 |        278.95 ± 0.23 |',
].join('\n');

function refusal(bytes: Uint8Array, given: Parameters = {}): DomainError {
  try {
    readSubmission(bytes, given);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
const faultsOf = (error: DomainError) =>
  error.faults.map((fault) => `${fault.code} ${fault.parameter ?? fault.pointer}`);

describe('an artifact with everything in it', () => {
  test('becomes a checked result', () => {
    const { tool, mediaType, results } = readSubmission(bytesOf(native()), {});
    expect(tool.name).toBe('native');
    expect(mediaType).toContain('json');
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      kind: 'serving',
      status: 'accepted',
      system: { model: { id: 'llama-3.1-8b' }, quantization: { id: 'fp8' }, gpu: { id: 'h100-sxm' }, gpuCount: 1 },
      scenario: { id: 'chatbot', inputTokens: 1024, outputTokens: 256 },
      load: { mode: 'concurrency', level: 8 },
      metrics: { ttft_ms_mean: 211, tpot_ms_mean: 20, output_tok_s: 380 },
      derived: { user_tok_s: 50, itl_ms_mean: 20, output_tok_s_per_gpu: 380 },
      definitions: { itl_ms: 'from_tpot', user_tok_s: 'client', tpot_ms: 'without_first_token' },
      measuredAt: null,
      lines: { from: 1, to: 1 },
    });
    expect(results[0]?.derived.tok_per_joule).toBeCloseTo(380 / 700, 9);
    expect(results[0]?.definitions.tok_per_joule).toBe('at_tdp');
  });

  test('gives back what it was given when read again', () => {
    expect(readSubmission(bytesOf(native()), {})).toEqual(readSubmission(bytesOf(native()), {}));
  });
});

describe('a static batch of SGLang', () => {
  const given: Parameters = { model: 'llama-3.1-8b', gpu: 'h100-sxm', gpu_count: 1 };

  test('keeps its decode speed apart from output throughput and raises no violation', () => {
    const [result] = readSubmission(bytesOf(sglang()), given).results;
    expect(result).toMatchObject({
      status: 'accepted',
      scenario: { id: 'prefill-bound' },
      load: { mode: 'batch', level: 1 },
      metrics: { decode_tok_s: 191.82, total_tok_s: 7660.45, e2e_ms_mean: 270 },
      derived: { user_tok_s: 191.82 },
      definitions: { user_tok_s: 'client', itl_ms: 'from_user_tok_s', e2e_ms: 'whole_batch' },
    });
    expect(result?.metrics.output_tok_s).toBeCloseTo(118.52, 2);
    expect(result?.derived.itl_ms_mean).toBeCloseTo(5.213, 3);
    expect(result?.findings.filter((finding) => finding.severity === 'violation')).toEqual([]);
  });

  test("reads the quantization off the run's name and says so", () => {
    const [result] = readSubmission(bytesOf(sglang()), given).results;
    expect(result?.system.quantization).toEqual({
      id: 'w8a8-int8',
      name: 'w8a8_smooth_gptq',
      recipe: ['smooth', 'gptq'],
    });
    expect(result?.findings.map((finding) => finding.code)).toContain('quantization_inferred');
  });

  test('is quarantined when its overall rate cannot be', () => {
    const [result] = readSubmission(bytesOf(sglang({ overall_throughput: 17660.45 })), given).results;
    expect(result?.status).toBe('quarantined');
    expect(result?.findings.map((finding) => finding.code)).toContain('token_rate_contradicts');
  });

  test('does not hold back the others of its artifact', () => {
    const bytes = bytesOf(sglang(), sglang({ batch_size: 2, overall_throughput: 17660.45, latency: 0.5 }));
    expect(readSubmission(bytes, given).results.map((result) => result.status)).toEqual(['accepted', 'quarantined']);
  });
});

test('a row of llama-bench is tokens without a prompt, timed in process', () => {
  const [result] = readSubmission(bytesOf(llamaBench), { gpu_power_limit_w: 600 }).results;
  expect(result).toMatchObject({
    status: 'accepted',
    system: {
      model: { id: 'llama-2-7b' },
      quantization: { id: 'gguf-q4_0' },
      gpu: { id: 'rtx-pro-6000-blackwell-ws' },
      gpuCount: 1,
      gpuPowerLimitW: 600,
    },
    scenario: { id: 'tg128', inputTokens: 0, outputTokens: 128 },
    metrics: { decode_tok_s: 278.95, user_tok_s: 278.95 },
    definitions: { decode_tok_s: 'in_process', user_tok_s: 'in_process', tok_per_joule: 'at_power_limit' },
  });
  expect(result?.derived.tok_per_joule).toBeCloseTo(278.95 / 600, 9);
});

// Answers of a single token have no time per output token; vLLM prints 0.00 for it.
test('a TPOT of 0.00 becomes no infinite speed', () => {
  const block = [
    'vllm bench serve --model meta-llama/Llama-3.1-8B-Instruct --max-concurrency=8',
    '============ Serving Benchmark Result ============',
    'Successful requests:                     100',
    'Benchmark duration (s):                  10.00',
    'Total input tokens:                      102400',
    'Total generated tokens:                  100',
    'Request throughput (req/s):              10.00',
    'Output token throughput (tok/s):         10.00',
    'Total Token throughput (tok/s):          10250.00',
    '---------------Time to First Token----------------',
    'Mean TTFT (ms):                          62.26',
    'Median TTFT (ms):                        49.91',
    'P99 TTFT (ms):                           135.56',
    '-----Time per Output Token (excl. 1st token)------',
    'Mean TPOT (ms):                          0.00',
    'Median TPOT (ms):                        0.00',
    'P99 TPOT (ms):                           0.00',
    '---------------Inter-token Latency----------------',
    'Mean ITL (ms):                           0.00',
    'Median ITL (ms):                         0.00',
    'P99 ITL (ms):                            0.00',
    '==================================================',
  ].join('\n');
  const { results } = readSubmission(bytesOf(block), { gpu: 'h100-sxm', quantization: 'bf16', engine: 'vllm' });
  expect(results).toHaveLength(1);
  for (const value of Object.values(results[0]?.derived ?? {})) expect(Number.isFinite(value)).toBe(true);
});

interface Sample {
  file: string;
  parameters: Parameters;
}
const sampleFolder = new URL('../../../db/sample/', import.meta.url);
const samples: Sample[] = JSON.parse(readFileSync(new URL('manifest.json', sampleFolder), 'utf8'));

// Honest figures of three tools: a check that doubts them is wrong.
test.each(samples)('$file raises no violation', ({ file, parameters }) => {
  const { results } = readSubmission(
    new Uint8Array(readFileSync(new URL(file, sampleFolder))),
    z.strictObject(parameterShape).parse(parameters),
  );
  for (const { findings, status, lines } of results) {
    expect(
      findings.filter((finding) => finding.severity === 'violation'),
      `line ${lines.from}`,
    ).toEqual([]);
    expect(status).toBe('accepted');
  }
});

test('the 99.90 GiB of a 405B on a card of 96 GB are warned about, gpt-oss under the name of Q8_0 is noted', () => {
  const codes = (file: string) =>
    readSubmission(new Uint8Array(readFileSync(new URL(file, sampleFolder))), {}).results.map(({ findings }) =>
      findings.filter(({ code }) => code.startsWith('weights') || code.startsWith('quantization_name')),
    );
  for (const findings of codes('llama-bench/llama-3.1-405b-iq2_xxs.txt')) {
    expect(findings).toMatchObject([{ code: 'weights_exceed_memory', severity: 'warning' }]);
  }
  for (const findings of codes('llama-bench/gpt-oss-120b.txt')) {
    expect(findings).toMatchObject([{ code: 'quantization_name_mismatch', severity: 'info' }]);
  }
});

describe('what nobody could place', () => {
  test.each(['Frobnicator 9000', 'RTX 4099'])('the GPU %s is quarantined under its own name', (gpu) => {
    const [result] = readSubmission(
      bytesOf(native({ system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu } })),
      {},
    ).results;
    expect(result).toMatchObject({ status: 'quarantined', system: { gpu: { id: null, family: null, name: gpu } } });
  });

  // Who declines to name the GPU is accepted, however the word is written.
  test.each(['unspecified', 'Unspecified', 'UNSPECIFIED'])('%s is accepted', (word) => {
    const report = native({ system: {} });
    const [result] = readSubmission(bytesOf(report), { model: word, gpu: word, quantization: word }).results;
    expect(result?.findings.map((finding) => finding.code).filter((code) => code.endsWith('_unknown'))).toEqual([]);
    expect(result?.status).toBe('accepted');
  });
});

describe('a refusal', () => {
  test('names every missing fact at once', () => {
    const error = refusal(bytesOf(native({ system: {} })));
    expect(error.code).toBe('facts_missing');
    expect(faultsOf(error)).toEqual(['model_missing model', 'gpu_missing gpu', 'quantization_missing quantization']);
  });

  test('names contradictions and missing facts together', () => {
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

  test('tells once what a thousand lines share', () => {
    const error = refusal(bytesOf(...Array.from({ length: 1000 }, () => sglang())));
    expect(faultsOf(error)).toEqual(['model_missing model', 'gpu_missing gpu']);
  });

  // A scenario that does not fit is a contradiction and not a gap: the reader is told to correct, not to add.
  test('of a scenario whose numbers are others says that facts contradict', () => {
    const report = native({ scenario: { input_tokens: 2048, output_tokens: 256 } });
    const error = refusal(bytesOf(report), { scenario: 'chatbot' });
    expect(faultsOf(error)).toEqual(['scenario_contradicted input_tokens']);
    expect(error.code).toBe('facts_contradict');
  });

  // In ten thousand lines, somebody has to find the one.
  test('names the line whose fact contradicts', () => {
    const bytes = bytesOf(sglang(), sglang(), sglang({ input_len: 1024, overall_throughput: 3900 }));
    const error = refusal(bytes, { model: 'llama-3.1-8b', gpu: 'h100-sxm', input_tokens: 2048 });
    expect(error.faults).toMatchObject([{ code: 'facts_contradict', parameter: 'input_tokens', line: 3 }]);
  });

  test('names the first line that lacks a fact only where others have it', () => {
    const known = sglang();
    const unknown = sglang({ run_name: 'run' });
    const given = { model: 'llama-3.1-8b', gpu: 'h100-sxm' };
    const some = refusal(bytesOf(known, unknown, known, unknown), given);
    expect(some.faults).toMatchObject([{ code: 'quantization_missing', line: 2 }]);
    const all = refusal(bytesOf(unknown, unknown), given);
    expect(all.faults).toMatchObject([{ code: 'quantization_missing' }]);
    expect(all.faults[0]).not.toHaveProperty('line');
  });

  test('tells a hundred faults at most', () => {
    const lines = Array.from({ length: 150 }, (_, i) => sglang({ input_len: 1000 + i }));
    const given = { model: 'llama-3.1-8b', gpu: 'h100-sxm', input_tokens: 1 };
    expect(refusal(bytesOf(...lines), given).faults).toHaveLength(100);
  });

  test('names the first of the lines that contradict alike', () => {
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
    ['something else', 'hello, world', 'tool_unrecognised'],
    ['broken JSON', '{"schema": "inferboard/v1", ', 'tool_unrecognised'],
    ['a native report with a slip', JSON.stringify({ ...native(), sistem: {} }), 'artifact_unreadable'],
  ])('of %s', (_, text, code) => {
    expect(refusal(encoder.encode(text)).code).toBe(code);
  });

  test('of an unknown tool names the nearest', () => {
    const error = refusal(bytesOf(native()), { tool: 'natve' });
    expect(error.code).toBe('request_invalid');
    expect(error.faults).toMatchObject([{ code: 'tool_unknown', parameter: 'tool' }]);
    expect(error.faults[0]?.hint).toContain('"native"');
  });

  test('of a measured window without any length', () => {
    const results = [{ load: { mode: 'burst', level: 8 }, metrics: { req_s: 4, requests_ok: 480, duration_s: 0 } }];
    expect(refusal(bytesOf(native({ results }))).code).toBe('artifact_unreadable');
  });
});

describe('the time of measurement', () => {
  const results = [{ ...native().results[0], measured_at: '2026-01-01T12:00:00Z' }];

  test('is as given where the artifact does not say', () => {
    const [result] = readSubmission(bytesOf(native()), { measured_at: '2026-01-01T12:00:00Z' }).results;
    expect(result?.measuredAt).toBe('2026-01-01T12:00:00Z');
  });

  test('given otherwise than stated is a contradiction', () => {
    const error = refusal(bytesOf(native({ results })), { measured_at: '2026-02-01T12:00:00Z' });
    expect(faultsOf(error)).toEqual(['facts_contradict measured_at']);
  });

  test('of one instant in two notations is one instant', () => {
    const [result] = readSubmission(bytesOf(native({ results })), { measured_at: '2026-01-01T13:00:00+01:00' }).results;
    expect(new Date(result?.measuredAt ?? '').toISOString()).toBe('2026-01-01T12:00:00.000Z');
  });
});

describe('the load', () => {
  const block = [
    '============ Serving Benchmark Result ============',
    'Successful requests:                     100',
    'Benchmark duration (s):                  10.00',
    'Total input tokens:                      102400',
    'Total generated tokens:                  25600',
    'Request throughput (req/s):              10.00',
    'Output token throughput (tok/s):         2560.00',
    'Total Token throughput (tok/s):          12800.00',
    '---------------Time to First Token----------------',
    'Mean TTFT (ms):                          62.26',
    'Median TTFT (ms):                        49.91',
    'P99 TTFT (ms):                           135.56',
    '-----Time per Output Token (excl. 1st token)------',
    'Mean TPOT (ms):                          12.50',
    'Median TPOT (ms):                        12.40',
    'P99 TPOT (ms):                           20.00',
    '---------------Inter-token Latency----------------',
    'Mean ITL (ms):                           12.50',
    'Median ITL (ms):                         12.00',
    'P99 ITL (ms):                            40.00',
    '==================================================',
  ].join('\n');
  const given: Parameters = { model: 'llama-3.1-8b', gpu: 'h100-sxm', quantization: 'bf16' };

  test('is unspecified where nobody tells it, and the result is accepted', () => {
    const [result] = readSubmission(bytesOf(block), given).results;
    expect(result?.load).toEqual({ mode: 'unspecified', level: null });
    expect(result?.status).toBe('accepted');
    expect(result?.derived.user_tok_s).toBe(80);
  });

  test('is as the caller says where the artifact does not', () => {
    const [result] = readSubmission(bytesOf(block), { ...given, load_mode: 'concurrency', load_level: 32 }).results;
    expect(result?.load).toEqual({ mode: 'concurrency', level: 32 });
  });

  // Half a request in flight would double what one user sees. Only a rate can be broken.
  test('of half a request at once is refused', () => {
    for (const load_mode of ['concurrency', 'burst', 'batch'] as const) {
      expect(refusal(bytesOf(block), { ...given, load_mode, load_level: 0.5 }).faults).toMatchObject([
        { parameter: 'load_level' },
      ]);
    }
    const [result] = readSubmission(bytesOf(block), { ...given, load_mode: 'rate', load_level: 0.5 }).results;
    expect(result?.load).toEqual({ mode: 'rate', level: 0.5 });
  });

  test('given by half says nothing', () => {
    expect(faultsOf(refusal(bytesOf(block), { ...given, load_mode: 'concurrency' }))).toEqual([
      'parameter_missing load_level',
    ]);
    expect(faultsOf(refusal(bytesOf(block), { ...given, load_level: 32 }))).toEqual(['parameter_missing load_mode']);
  });

  test('given otherwise than stated is a contradiction', () => {
    const agreed = readSubmission(bytesOf(native()), { load_mode: 'concurrency', load_level: 8 }).results;
    expect(agreed[0]?.load).toEqual({ mode: 'concurrency', level: 8 });
    for (const other of [
      { load_mode: 'concurrency', load_level: 16 },
      { load_mode: 'burst', load_level: 8 },
    ] as const) {
      const error = refusal(bytesOf(native()), other);
      expect(error.code).toBe('facts_contradict');
      expect(error.faults).toMatchObject([{ code: 'facts_contradict', parameter: 'load_mode' }]);
    }
  });
});

describe('what the database does not hold, or a reader would misread, is refused in the artifact as it is beside it', () => {
  const refusedOrNot = (report: Report & Record<string, unknown>) => {
    try {
      return readSubmission(bytesOf({ ...native(), ...report }), {});
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  };

  test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00'])('measured at %s', (measured_at) => {
    expect(refusedOrNot({ results: [{ ...native().results[0], measured_at }] })).toBeNull();
  });

  test.each([
    ['a control of the writing direction', 'Llama\u202e 8B'],
    ['a control character', 'Llama\u0001 8B'],
    ['U+0000', 'Llama\u0000 8B'],
    ['half a character', 'Llama\ud800 8B'],
  ])('%s in a name', (_, name) => {
    for (const field of ['model', 'quantization', 'gpu', 'engine']) {
      expect(refusedOrNot({ system: { ...native().system, [field]: name } }), field).toBeNull();
    }
    expect(refusedOrNot({ scenario: { input_tokens: 1, output_tokens: 1, dataset: name } })).toBeNull();
  });

  test('a source that is not plain is not kept', () => {
    const source = refusedOrNot({ source_url: 'https://example.org/a\u202eb' })?.sourceUrl ?? '';
    expect(source).toMatch(/^[\x21-\x7e]*$/);
  });

  // A denormal power limit or time per token makes the quotient infinite, which no answer can hold.
  test.each([
    ['a power limit', { system: { ...native().system, gpu_power_limit_w: 1e-320 } }],
    ['a time per token', { results: [{ ...native().results[0], metrics: { tpot_ms_mean: 5e-324 } }] }],
  ])('%s of next to nothing', (_, report) => {
    for (const { derived } of refusedOrNot(report)?.results ?? []) {
      for (const value of Object.values(derived)) expect(Number.isFinite(value)).toBe(true);
    }
  });
});

test('a count that fits nowhere is called too large and not missing', () => {
  const error = refusal(bytesOf(native({ system: { ...native().system, gpu_count: 3_000_000_000 } })));
  expect(error.code).not.toBe('facts_missing');
});

// Nobody counted GPUs that are not there.
test.each(['unspecified', 'n/a', 'N/A', 'not applicable'])('the GPU %s has no assumed count', (gpu) => {
  const report = native({ system: { model: 'llama-3.1-8b', quantization: 'fp8' } });
  const [result] = readSubmission(bytesOf(report), { gpu }).results;
  expect(result?.system.gpuCount).toBeNull();
  expect(result?.derived).not.toHaveProperty('output_tok_s_per_gpu');
});

describe('the label of a derived figure', () => {
  const derivedLabel = (base: string, metrics: Record<string, number>, definitions: Record<string, string>) => {
    const results = [{ load: { mode: 'concurrency', level: 8 }, metrics, definitions }];
    const [result] = readSubmission(bytesOf(native({ results })), {}).results;
    return result?.definitions[base];
  };

  // What a submitter says about a value that is not there must not pass our stand-in off as measured.
  test('is ours where the submitter labelled a value that was not sent', () => {
    expect(derivedLabel('itl_ms', { tpot_ms_mean: 20 }, { itl_ms: 'per_token' })).toBe('from_tpot');
    expect(derivedLabel('user_tok_s', { tpot_ms_mean: 20 }, { user_tok_s: 'in_process' })).toBe('client');
    expect(derivedLabel('tok_per_joule', { output_tok_s: 380 }, { tok_per_joule: 'at_power_limit' })).toBe('at_tdp');
  });

  test("is the submitter's where the value was sent", () => {
    expect(derivedLabel('itl_ms', { itl_ms_mean: 19, tpot_ms_mean: 20 }, { itl_ms: 'per_token' })).toBe('per_token');
  });
});

describe('numbers too large for a column', () => {
  // Counts are stored in 32 bits; what does not fit is refused and must not fail in the database.
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

describe('whatever is said beside whatever artifact', () => {
  const artifacts = [
    bytesOf(native()),
    bytesOf(native({ system: {} })),
    bytesOf(native({ scenario: { input_tokens: 77, output_tokens: 5, dataset: 'sharegpt' } })),
    bytesOf(sglang(), sglang({ batch_size: 8, latency: 0.9 })),
    bytesOf(llamaBench),
    bytesOf(native(), '', llamaBench),
    bytesOf('no benchmark at all'),
  ];
  const schema = z.strictObject(parameterShape);
  const names = fc.oneof(
    fc.constantFrom('unspecified', 'n/a', 'H100', '8xH100', 'h100-sxm', 'rtx pro 6000', 'llama-3.1-8b', 'llama3.1'),
    fc.constantFrom(
      'fp8',
      'w8a8_smooth_gptq',
      'original',
      'chatbot',
      'decode-bound',
      'tg128',
      'pp512@d4096',
      'sharegpt',
    ),
    fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
  );
  const counts = fc.integer({ min: 0, max: 100_000 }).map(String);
  const given = fc.record(
    {
      model: names,
      quantization: names,
      gpu: names,
      gpu_count: counts,
      gpu_power_limit_w: counts,
      engine: names,
      engine_version: names,
      tensor_parallel: counts,
      scenario: names,
      input_tokens: counts,
      output_tokens: counts,
      dataset: names,
      tool: fc.oneof(names, fc.constantFrom('native', 'llama-bench')),
      notes: names,
      measured_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00'),
    },
    { requiredKeys: [] },
  );

  test('it is read, or refused with a reason', () => {
    fc.assert(
      fc.property(fc.constantFrom(...artifacts), given, (bytes, texts) => {
        const parameters = schema.safeParse(texts);
        fc.pre(parameters.success);
        try {
          for (const { metrics, derived, definitions, findings, status } of readSubmission(bytes, parameters.data)
            .results) {
            expect(['accepted', 'quarantined']).toContain(status);
            for (const value of Object.values({ ...metrics, ...derived })) expect(Number.isFinite(value)).toBe(true);
            for (const name of Object.keys(derived)) expect(metrics).not.toHaveProperty(name);
            for (const base of Object.keys(definitions)) expect(findFamily(base)).not.toBeNull();
            for (const name of Object.keys({ ...metrics, ...derived })) expect(findMetric(name)?.name).toBe(name);
            expect(JSON.parse(JSON.stringify(findings))).toEqual(findings);
          }
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          expect(error.message).not.toBe('');
          if (error.code !== 'body_empty') expect(error.faults.length).toBeGreaterThan(0);
          expect(error.faults.length).toBeLessThanOrEqual(120);
        }
      }),
      { numRuns: 400 },
    );
  });
});

test("the caller's notes and source win over the artifact's", () => {
  const report = { ...native(), notes: 'of the file', source_url: 'https://example.org/file' };
  expect(readSubmission(bytesOf(report), {})).toMatchObject({
    notes: 'of the file',
    sourceUrl: 'https://example.org/file',
  });
  const given = { notes: 'of the caller', source_url: 'https://example.org/caller' };
  expect(readSubmission(bytesOf(report), given)).toMatchObject({
    notes: 'of the caller',
    sourceUrl: 'https://example.org/caller',
  });
});
