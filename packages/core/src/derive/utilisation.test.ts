import { describe, expect, test } from 'vitest';
import type { Records } from '../records.ts';
import type { Result } from '../subjects/result.ts';
import { alone } from '../subjects/subject.ts';
import { makeRequest } from '../testing/requests.ts';
import { makeResult, type ResultWords, type SystemWords } from '../testing/result.ts';
import { energy, wattHoursPerMtok } from './energy.ts';
import { deriveMetrics } from './index.ts';
import { mbu } from './mbu.ts';
import { mfu } from './mfu.ts';
import { scalingEfficiency } from './scaling-efficiency.ts';

type Words = Omit<ResultWords, 'system'> & { system?: SystemWords };
const small = { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm' };
const serving = ({ system, ...rest }: Words): Result => makeResult({ system: { ...small, ...system }, ...rest });

describe('MBU', () => {
  const of = (words: Words) => mbu.derive(alone(serving({ metrics: { tpot_ms_mean: 6.5 }, ...words })))?.value;

  // 15.01e9 bytes in 6.5 ms are 2309e9 bytes per second, of 3350e9.
  test('is computed for 8B in bf16 at 6.5 ms per token', () => {
    expect(of({})).toBeCloseTo(0.6893, 4);
    expect(of({ metrics: { user_tok_s: 1000 / 6.5 } })).toBeCloseTo(0.6893, 4);
    expect(of({ metrics: { decode_tok_s: 1000 / 6.5 }, load: { mode: 'batch', level: 1 } })).toBeCloseTo(0.6893, 4);
  });

  test('includes reads of the prompt and half of the response', () => {
    // 8192 + 512 tokens of 131 072 bytes add 1.1409e9 bytes.
    expect(of({ scenario: { inputTokens: 8192, outputTokens: 1024 } })).toBeCloseTo(16.1509e9 / 0.0065 / 3350e9, 4);
  });

  test('is divided by the GPUs that share a sequence', () => {
    expect(of({ system: { gpuCount: 4 } })).toBeCloseTo(0.6893 / 4, 4);
    const parallelism = { tensor: 2, pipeline: 2, data: null, expert: null };
    expect(of({ system: { gpuCount: 4, parallelism } })).toBeCloseTo(0.6893 / 2, 4);
  });

  test.each<[string, Words]>([
    ['several users', { load: { mode: 'concurrency', level: 2 } }],
    ['one request per second', { load: { mode: 'rate', level: 1 } }],
    ['a load not stated', { load: { mode: 'unspecified', level: null } }],
    ['a family', { system: { gpu: 'H100' } }],
    ['speculation', { system: { features: { draft_tokens: 3 } } }],
    ['speculation without a number', { system: { features: { speculative_decoding: true } } }],
    ['offload', { system: { features: { offload: true } } }],
    ['an unknown format', { system: { quantization: 'x' } }],
    ['a model without figures', { system: { model: 'mistral-small-3.1-24b' } }],
    ['an unknown model', { system: { model: 'x' } }],
    ['a cache of unknown size', { system: { model: 'gemma-3-27b' }, scenario: { inputTokens: 8192 } }],
    ['a missing speed', { metrics: {} }],
    ['a speed of 0', { metrics: { user_tok_s: 0 } }],
    ['a time of 0', { metrics: { tpot_ms_mean: 0 } }],
    ['a time that includes the first token', { definitions: { tpot_ms: 'with_first_token' } }],
    ['training', { kind: 'training' }],
  ])('is missing for %s', (_, words) => {
    expect(deriveMetrics(alone(serving({ metrics: { tpot_ms_mean: 6.5 }, ...words }))).derived.mbu).toBeUndefined();
  });
});

describe('MFU', () => {
  const metrics = { input_tok_s: 40_000, output_tok_s: 5000 };
  const of = (words: Words = {}) => mfu.derive(alone(serving({ metrics, ...words })))?.value;
  // 40 000 x 2 x 6.979e9 and 5000 x 2 x 7.505e9.
  const [input, output] = [558.32e12, 75.05e12];

  const recorded = (inputTokens: number, cachedTokens: number): Records => ({
    requests: [makeRequest({ inputTokens, cachedTokens })],
    stated: {},
    statedDefinitions: {},
    figures: [],
    certificates: {},
  });

  test('divides operations by the peak of the precision', () => {
    expect(of()).toBeCloseTo((input + output) / 989e12, 4);
    expect(of({ system: { quantization: 'fp8' } })).toBeCloseTo((input + output) / 1979e12, 4);
    expect(of({ system: { gpuCount: 2 } })).toBeCloseTo((input + output) / 2 / 989e12, 4);
  });

  test('excludes cached prompt tokens, if they were counted', () => {
    expect(of({ records: recorded(100, 75) })).toBeCloseTo((input / 4 + output) / 989e12, 4);
    const system = { features: { prefix_caching: true } };
    expect(of({ system, records: recorded(100, 75) })).toBeCloseTo((input / 4 + output) / 989e12, 4);
    expect(of({ system })).toBeUndefined();
  });

  test.each<[string, Words]>([
    ['no input', { metrics: { output_tok_s: 5000 } }],
    ['no output', { metrics: { input_tok_s: 5000 } }],
    ['a family', { system: { gpu: 'H100' } }],
    ['GGUF, whose kernels choose the format', { system: { quantization: 'Q4_K_M' } }],
    ['MXFP4, whose kernels choose the format', { system: { quantization: 'mxfp4' } }],
    ['a GPU without compute figures', { system: { gpu: 'mi350x' } }],
    ['fp8 on hardware without it', { system: { gpu: 'a100-sxm4-80gb', quantization: 'fp8' } }],
    ['training, which needs three times the compute', { kind: 'training' }],
  ])('is missing for %s', (_, words) => {
    expect(of(words)).toBeUndefined();
  });
});

describe('scaling efficiency', () => {
  const of = (many: Words, one: Words | null) => {
    const result = serving({ load: { mode: 'concurrency', level: 64 }, ...many });
    return scalingEfficiency.derive({ result, repetitions: [result], single: one === null ? null : serving(one) });
  };

  test('compares output, if both runs state it', () => {
    const derived = of(
      { metrics: { output_tok_s: 1840, user_tok_s: 40 } },
      { metrics: { output_tok_s: 62, user_tok_s: 80 } },
    );
    expect(derived?.value).toBeCloseTo(0.4637, 4);
    expect(derived?.definition?.id).toBe('output_basis');
  });

  test('otherwise compares the speed of a user', () => {
    const derived = of({ metrics: { output_tok_s: 1840, user_tok_s: 40 } }, { metrics: { user_tok_s: 80 } });
    expect(derived).toMatchObject({ value: 0.5, definition: { id: 'decode_basis' } });
    expect(of({ metrics: { decode_tok_s: 64 * 20 } }, { metrics: { tpot_ms_mean: 25 } })?.value).toBe(0.5);
  });

  test.each<[string, Words, Words | null]>([
    ['no single user', { metrics: { output_tok_s: 9 } }, null],
    ['a single user at 0', { metrics: { output_tok_s: 9 } }, { metrics: { output_tok_s: 0 } }],
    ['speeds of 0', { metrics: { user_tok_s: 9 } }, { metrics: { user_tok_s: 0 } }],
    ['nothing in common', { metrics: { output_tok_s: 9 } }, { metrics: { user_tok_s: 9 } }],
    [
      'one user',
      { metrics: { output_tok_s: 9 }, load: { mode: 'concurrency', level: 1 } },
      { metrics: { output_tok_s: 9 } },
    ],
    ['a rate', { metrics: { output_tok_s: 9 }, load: { mode: 'rate', level: 2 } }, { metrics: { output_tok_s: 9 } }],
  ])('is missing for %s', (_, many, one) => {
    expect(of(many, one)).toBeNull();
  });
});

describe('energy', () => {
  const of = (words: Words) => energy.derive(alone(serving(words)));

  test('uses measured power, otherwise rated power', () => {
    const metrics = { output_tok_s: 2500 };
    expect(of({ metrics: { ...metrics, power_w: 610 } })).toMatchObject({ definition: { id: 'measured' } });
    expect(of({ metrics: { ...metrics, power_w: 610 } })?.value).toBeCloseTo(4.098, 3);
    expect(of({ metrics })?.value).toBeCloseTo(3.571, 3);
    expect(of({ metrics, system: { gpuPowerLimitW: 500, gpuCount: 2 } })).toMatchObject({
      value: 2.5,
      definition: { id: 'at_power_limit' },
    });
    // A meter reading of 0 means that no meter was present.
    expect(of({ metrics: { ...metrics, power_w: 0 } })?.definition?.id).toBe('at_tdp');
    expect(wattHoursPerMtok(2500, 700)).toBeCloseTo(77.78, 2);
  });

  test.each<[string, Words]>([
    ['no output', { metrics: { input_tok_s: 9 } }],
    [
      'decode speed after a prompt, whose power is included',
      { metrics: { decode_tok_s: 9 }, scenario: { inputTokens: 512 } },
    ],
    ['no number of GPUs', { metrics: { output_tok_s: 9 }, system: { gpuCount: null } }],
    ['no rated power', { metrics: { output_tok_s: 9 }, system: { gpu: 'a10g' } }],
    ['a family', { metrics: { output_tok_s: 9 }, system: { gpu: 'H100' } }],
  ])('is missing for %s', (_, words) => {
    expect(of(words)).toBeNull();
  });
});
