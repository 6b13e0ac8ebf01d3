import { describe, expect, test } from 'vitest';
import { resolveGpu, resolveModel } from '../catalogue/index.ts';
import type { Result } from '../subjects/result.ts';
import { alone } from '../subjects/subject.ts';
import type { Finding, Severity } from './check.ts';
import { checks, judge, noteUnchecked, statusOf } from './index.ts';

function measured(model: string, gpu: string, over: Partial<Result> = {}): Result {
  const ref = ({ id, family, name }: { id: string | null; family: string | null; name: string }) => ({
    id,
    family,
    name,
  });
  return {
    kind: 'serving',
    tool: { name: 'a tool', version: null },
    system: {
      model: ref(resolveModel(model)),
      quantization: { id: 'fp8', name: 'fp8', recipe: [] },
      gpu: ref(resolveGpu(gpu)),
      gpuCount: 1,
      gpuPowerLimitW: null,
      engine: { id: 'vllm', name: 'vllm', version: null },
      parallelism: { tensor: null, pipeline: null, data: null, expert: null },
      features: {},
    },
    scenario: { id: 'chatbot', inputTokens: 1024, outputTokens: 256, dataset: null, depth: null, kernel: null },
    lengths: null,
    load: { mode: 'concurrency', level: 8 },
    repetition: null,
    metrics: { itl_ms_mean: 12 },
    definitions: { itl_ms: 'per_chunk' },
    repeats: null,
    records: null,
    limits: null,
    extra: {},
    measuredAt: null,
    lines: { from: 1, to: 1 },
    ...over,
  };
}

const judgedAlone = (result: Result) => judge(alone(result)).findings;

const codesOf = (result: Result) =>
  judgedAlone(result)
    .filter((finding) => finding.severity !== 'unchecked')
    .map((finding) => finding.code);

describe('the registry', () => {
  // Findings appear in this order, and links into the methodology use the numbers.
  test('lists facts, arithmetic, physics and records in a fixed order', () => {
    expect(checks.map(({ id, code }) => `${id} ${code}`)).toEqual([
      'F1 gpu_unknown',
      'F2 model_unknown',
      'F3 engine_unknown',
      'F4 simulated',
      'A1 figure_invalid',
      'A2 request_rate_contradicts',
      'A3 token_rate_contradicts',
      'A4 percentiles_out_of_order',
      'A5 mean_outside_range',
      'A6 median_far_from_mean',
      'A7 percentile_far_above_mean',
      'A8 request_contradicts',
      'A9 gaps_contradict_latency',
      'A10 steps_contradict_latency',
      'A11 too_many_in_flight',
      'A12 load_not_held',
      'A13 output_rate_contradicts',
      'A14 decode_rate_contradicts',
      'A15 ttft_above_e2e',
      'A16 requests_miscounted',
      'A17 length_not_allowed',
      'A18 no_variance',
      'A19 short_run',
      'A20 total_below_part',
      'A21 gaps_too_short',
      'A22 rate_exceeded',
      'P0 quantization_name_mismatch',
      'P1 weights_exceed_memory',
      'P2 above_roofline',
      'P3 above_roofline',
      'P4 above_roofline',
      'P5 above_roofline',
      'P6 power_implausible',
      'P7 superlinear_scaling',
      'P8 power_limit_impossible',
      'P9 draft_tokens_impossible',
      'P10 parameter_count_contradicts',
      'R1 records_contradict',
      'R2 output_shortfall',
      'R3 prefix_cache_suspected',
      'R4 error_rate',
      'R5 saturated',
      'R6 record_contradicts_itself',
      'R7 repeated_records',
      'R8 generator_limited',
      'R9 cut_short',
      'R10 speed_changed',
    ]);
  });

  test('has unique ids and codes, each with a title and a rule', () => {
    expect(new Set(checks.map((check) => check.id)).size).toBe(checks.length);
    // The checks on both sides of the roofline share one code.
    const codes = checks.map((check) => check.code).filter((code) => code !== 'above_roofline');
    expect(new Set(codes).size).toBe(codes.length);
    for (const { code, title, rule } of checks) {
      expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(rule, code).toMatch(/^\S.{60,}\.$/s);
    }
  });

  test('returns findings in the order of the checks, each with its code', () => {
    const metrics = { ttft_ms_mean: 900.5, e2e_ms_mean: 100.5, ttft_ms_p50: 50.5, ttft_ms_p90: 5.5, req_s: 4.5 };
    const codes = judgedAlone(
      measured('Frobnicate 1T', 'Frobnicator 9000', { metrics: { ...metrics, requests_ok: 100, duration_s: 10.5 } }),
    ).map((finding) => finding.code);
    expect(codes).toEqual([
      'gpu_unknown',
      'model_unknown',
      'request_rate_contradicts',
      'percentiles_out_of_order',
      'load_not_held',
      'ttft_above_e2e',
      'length_not_allowed',
      'weights_exceed_memory',
      'above_roofline',
    ]);
  });

  test('returns only unchecked findings for an honest result', () => {
    expect(codesOf(measured('llama-3.1-8b', 'h100-sxm'))).toEqual([]);
  });
});

describe('known facts', () => {
  test.each(['h100-sxm', 'NVIDIA H100 80GB HBM3', 'H100', 'unspecified', 'n/a'])(
    'reports nothing about the GPU %s',
    (gpu) => {
      expect(codesOf(measured('llama-3.1-8b', gpu))).toEqual([]);
    },
  );

  test.each(['meta-llama/Llama-3.1-8B-Instruct', 'llama3.1', 'unspecified', 'n/a'])(
    'reports nothing about the model %s',
    (model) => {
      expect(codesOf(measured(model, 'h100-sxm'))).toEqual([]);
    },
  );

  test('reports an unknown GPU with the nearest entries', () => {
    const [finding] = judgedAlone(measured('llama-3.1-8b', 'RTX 4099'));
    expect(finding).toMatchObject({ code: 'gpu_unknown', severity: 'warning', evidence: { gpu: 'RTX 4099' } });
    expect(finding?.evidence.nearest).toContain('rtx-4090');
    expect(finding?.message).toContain('"RTX 4099"');
    expect(finding?.message).toContain('Closest entries: rtx-4090');
  });

  test.each(['cpu', 'CPU-only', ' None'])('states what to name instead of the GPU "%s"', (gpu) => {
    const [finding] = judgedAlone(measured('llama-3.1-8b', gpu));
    expect(finding?.message).toMatch(
      /does not name a device, .* If the model runs on a CPU, name it, such as "Intel Xeon/,
    );
  });

  test('reports an unknown model without a suggestion if no name is similar', () => {
    const [finding] = judgedAlone(measured('Completely Unheard Of Model 77Q', 'h100-sxm'));
    expect(finding).toMatchObject({ code: 'model_unknown', severity: 'warning', evidence: { nearest: [] } });
    expect(finding?.message).not.toContain('Nearest');
  });
});

describe('the status of a result', () => {
  const finding = (severity: Severity, code = 'some_code'): Finding => ({ code, severity, message: '', evidence: {} });

  test.each<[string, Finding[], string]>([
    ['no finding', [], 'accepted'],
    ['an info', [finding('info')], 'accepted'],
    ['a warning', [finding('warning')], 'accepted'],
    ['an unchecked check', [finding('unchecked')], 'accepted'],
    ['a violation', [finding('violation')], 'quarantined'],
    ['a violation among others', [finding('info'), finding('violation'), finding('warning')], 'quarantined'],
    ['an unknown GPU', [finding('warning', 'gpu_unknown')], 'quarantined'],
    ['an unknown model', [finding('warning', 'model_unknown')], 'quarantined'],
  ])('%s', (_, findings, status) => {
    expect(statusOf(findings)).toBe(status);
  });
});

test('formats unchecked findings with the same text again', () => {
  const found = judgedAlone(measured('llama-3.1-8b', 'h100-sxm', { metrics: { req_s: 4, user_tok_s: 100 } }));
  const open = found.filter(({ severity }) => severity === 'unchecked');
  expect(open.length).toBeGreaterThan(0);
  for (const { evidence, ...finding } of open) {
    const { check, missing } = evidence as { check: string; missing: string[] };
    expect(noteUnchecked(check, missing)).toEqual([{ ...finding, evidence }]);
  }
  expect(noteUnchecked('A99', ['anything'])).toEqual([]);
});
