import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bytesOf, llamaBench, native, sglang } from '../testing/artifacts.ts';
import { type Parameters, parameterShape } from './parameters.ts';
import { readSubmission } from './read-submission.ts';

describe('a complete artifact', () => {
  test('gives a checked result', () => {
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

  test('gives the same result when read again', () => {
    expect(readSubmission(bytesOf(native()), {})).toEqual(readSubmission(bytesOf(native()), {}));
  });
});

describe('a static batch of SGLang', () => {
  const given: Parameters = { model: 'llama-3.1-8b', gpu: 'h100-sxm', gpu_count: 1 };

  test('keeps its decode speed and output throughput separate, without a violation', () => {
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

  test('reads the quantization from the run name and reports it', () => {
    const [result] = readSubmission(bytesOf(sglang()), given).results;
    expect(result?.system.quantization).toEqual({
      id: 'w8a8-int8',
      name: 'w8a8_smooth_gptq',
      recipe: ['smooth', 'gptq'],
    });
    expect(result?.findings.map((finding) => finding.code)).toContain('quantization_inferred');
  });

  test('is quarantined if its total rate is impossible', () => {
    const [result] = readSubmission(bytesOf(sglang({ overall_throughput: 17660.45 })), given).results;
    expect(result?.status).toBe('quarantined');
    expect(result?.findings.map((finding) => finding.code)).toContain('token_rate_contradicts');
  });

  test('does not affect other results of its artifact', () => {
    const bytes = bytesOf(sglang(), sglang({ batch_size: 2, overall_throughput: 17660.45, latency: 0.5 }));
    expect(readSubmission(bytes, given).results.map((result) => result.status)).toEqual(['accepted', 'quarantined']);
  });
});

test('reads a row of llama-bench as decoding without a prompt, timed in process', () => {
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

// Responses of a single token have no time per output token; vLLM prints 0.00 for it.
test('derives no speed from a TPOT of 0.00', () => {
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

// Honest figures of three tools: a check that flags them is wrong.
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

test('warns about a 405B of 99.90 GiB on a GPU of 96 GB, and notes gpt-oss under the name Q8_0', () => {
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

describe('unknown and unspecified names', () => {
  test.each(['Frobnicator 9000', 'RTX 4099'])('quarantines the unknown GPU %s under its name', (gpu) => {
    const [result] = readSubmission(
      bytesOf(native({ system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu } })),
      {},
    ).results;
    expect(result).toMatchObject({ status: 'quarantined', system: { gpu: { id: null, family: null, name: gpu } } });
  });

  // Undisclosed GPUs are accepted in any capitalization of the word.
  test.each(['unspecified', 'Unspecified', 'UNSPECIFIED'])('accepts %s', (word) => {
    const report = native({ system: {} });
    const [result] = readSubmission(bytesOf(report), { model: word, gpu: word, quantization: word }).results;
    expect(result?.findings.map((finding) => finding.code).filter((code) => code.endsWith('_unknown'))).toEqual([]);
    expect(result?.status).toBe('accepted');
  });
});
