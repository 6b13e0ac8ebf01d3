import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Definitions, Metrics } from '../adapters/adapter.ts';
import { resolveGpu } from '../catalogue/index.ts';
import { definitionGroup, findFamily, findMetric, metricNames } from '../metrics/index.ts';
import { type Load, type LoadMode, loadModes } from '../subjects/load.ts';
import type { Result } from '../subjects/result.ts';
import { alone } from '../subjects/subject.ts';
import { derivations, deriveMetrics } from './index.ts';

interface Facts {
  metrics?: Metrics;
  definitions?: Definitions;
  load?: Load;
  gpu?: string;
  gpuCount?: number | null;
  gpuPowerLimitW?: number | null;
  inputTokens?: number | null;
}

function measured(facts: Facts): Result {
  const { id, family, name } = resolveGpu(facts.gpu ?? 'unspecified');
  return {
    kind: 'serving',
    tool: { name: 'a tool', version: null },
    system: {
      model: { id: null, name: 'unspecified', family: null },
      quantization: { id: null, name: 'unspecified', recipe: [] },
      gpu: { id, family, name },
      gpuCount: facts.gpuCount ?? null,
      gpuPowerLimitW: facts.gpuPowerLimitW ?? null,
      engine: { id: null, name: 'unspecified', version: null },
      parallelism: { tensor: null, pipeline: null, data: null, expert: null },
      features: {},
    },
    lengths: null,
    scenario: {
      id: 'unspecified',
      inputTokens: facts.inputTokens ?? null,
      outputTokens: null,
      dataset: null,
      depth: null,
      kernel: null,
    },
    load: facts.load ?? { mode: 'concurrency', level: 1 },
    repetition: null,
    metrics: facts.metrics ?? {},
    definitions: facts.definitions ?? {},
    repeats: null,
    records: null,
    limits: null,
    extra: {},
    measuredAt: null,
    lines: { from: 1, to: 1 },
  };
}

const derive = (facts: Facts) => deriveMetrics(alone(measured(facts)));

test('each derivation gives a separate metric of the registry', () => {
  const made = derivations.map((derivation) => derivation.metric);
  expect(new Set(made).size).toBe(made.length);
  for (const metric of made) expect(metricNames).toContain(metric);
});

describe('speed per user', () => {
  // One sequence that decodes at 191.82 tok/s, as printed by SGLang's static batch of 1.
  test('is the decode speed for a batch of one', () => {
    const { derived, definitions } = derive({
      metrics: { decode_tok_s: 191.82, output_tok_s: 32 / 0.27, e2e_ms_mean: 270 },
      definitions: { decode_tok_s: 'client', e2e_ms: 'whole_batch' },
      load: { mode: 'batch', level: 1 },
    });
    expect(derived.user_tok_s).toBe(191.82);
    expect(derived.itl_ms_mean).toBeCloseTo(5.2132, 4);
    expect(definitions).toEqual({ user_tok_s: 'client', itl_ms: 'from_user_tok_s' });
  });

  test.each<[LoadMode, number | undefined]>([
    ['concurrency', 200],
    ['burst', 200],
    ['batch', 200],
    // At 32 requests per second, the number of concurrently decoding users is unknown.
    ['rate', undefined],
  ])('for 6400 tok/s of decode under a %s of 32 is %j', (mode, expected) => {
    const { derived } = derive({ metrics: { decode_tok_s: 6400 }, load: { mode, level: 32 } });
    expect(derived.user_tok_s).toBe(expected);
  });

  test.each(loadModes)('for a TPOT of 28 ms is 35.71 tok/s under any load: %s', (mode) => {
    const { derived, definitions } = derive({ metrics: { tpot_ms_mean: 28 }, load: { mode, level: 32 } });
    expect(derived.user_tok_s).toBeCloseTo(35.714, 3);
    expect(definitions.user_tok_s).toBe('client');
  });

  test('prefers TPOT to decode speed', () => {
    const load: Load = { mode: 'batch', level: 4 };
    expect(derive({ metrics: { tpot_ms_mean: 20, decode_tok_s: 400 }, load }).derived.user_tok_s).toBe(50);
  });

  test('does not use a TPOT with the first token', () => {
    const definitions = { tpot_ms: 'with_first_token' };
    expect(derive({ metrics: { tpot_ms_mean: 20 }, definitions }).derived.user_tok_s).toBeUndefined();
    const load: Load = { mode: 'batch', level: 4 };
    const metrics = { tpot_ms_mean: 20, decode_tok_s: 400 };
    expect(derive({ metrics, definitions, load }).derived.user_tok_s).toBe(100);
  });

  test('keeps the definition of a rate timed in process', () => {
    const { definitions } = derive({
      metrics: { decode_tok_s: 278.95 },
      definitions: { decode_tok_s: 'in_process' },
      load: { mode: 'batch', level: 1 },
    });
    expect(definitions.user_tok_s).toBe('in_process');
  });

  test('for 9774 tok/s and 256 users is 38.18', () => {
    const { derived } = derive({ metrics: { decode_tok_s: 9774 }, load: { mode: 'burst', level: 256 } });
    expect(derived.user_tok_s).toBeCloseTo(38.18, 2);
    expect(derived.itl_ms_mean).toBeCloseTo(26.19, 2);
  });
});

describe('ITL derived from other metrics', () => {
  const load: Load = { mode: 'batch', level: 2 };

  test.each<[string, Metrics, number | undefined, string | undefined]>([
    ['uses TPOT first', { tpot_ms_mean: 28, user_tok_s: 100, decode_tok_s: 50 }, 28, 'from_tpot'],
    ['then uses the measured speed', { user_tok_s: 100, decode_tok_s: 50 }, 10, 'from_user_tok_s'],
    ['then uses the derived speed', { decode_tok_s: 50 }, 40, 'from_user_tok_s'],
    ['is missing without any of them', { output_tok_s: 50 }, undefined, undefined],
    ['is missing for a speed of 0', { user_tok_s: 0 }, undefined, undefined],
  ])('%s', (_, metrics, value, definition) => {
    const { derived, definitions } = derive({ metrics, load });
    expect(derived.itl_ms_mean).toBe(value);
    expect(definitions.itl_ms).toBe(definition);
  });

  test('is in the same definition group as measured ITL', () => {
    const family = findFamily('itl_ms');
    if (family === null) throw new Error('no such family');
    for (const id of ['from_tpot', 'from_user_tok_s']) {
      expect(definitionGroup(family, id)).toBe(definitionGroup(family, 'per_chunk'));
    }
  });

  test('is not derived if ITL was measured', () => {
    const { derived, definitions } = derive({ metrics: { itl_ms_mean: 12, tpot_ms_mean: 28 } });
    expect(derived).not.toHaveProperty('itl_ms_mean');
    expect(definitions).not.toHaveProperty('itl_ms');
  });

  // The definition applies to the whole family: a mean from TPOT would give a measured p99 the wrong definition.
  test('is not derived for the mean if percentiles were measured', () => {
    const { derived } = derive({
      metrics: { itl_ms_p99: 80, tpot_ms_mean: 28 },
      definitions: { itl_ms: 'per_chunk', tpot_ms: 'without_first_token' },
    });
    expect(derived).not.toHaveProperty('itl_ms_mean');
  });
});

describe('output throughput per GPU', () => {
  test('is the throughput divided by the number of GPUs', () => {
    expect(derive({ metrics: { output_tok_s: 2000 }, gpuCount: 8 }).derived.output_tok_s_per_gpu).toBe(250);
  });

  test('is 0 for a throughput of 0', () => {
    expect(derive({ metrics: { output_tok_s: 0 }, gpuCount: 8 }).derived.output_tok_s_per_gpu).toBe(0);
  });

  test('is missing if the count or the throughput is missing', () => {
    expect(derive({ metrics: { output_tok_s: 2000 } }).derived).not.toHaveProperty('output_tok_s_per_gpu');
    expect(derive({ metrics: { decode_tok_s: 2000 }, gpuCount: 8 }).derived).not.toHaveProperty('output_tok_s_per_gpu');
  });
});

describe('tokens per joule', () => {
  const metrics = { output_tok_s: 2500 };

  test('at the rated 700 W of one H100 SXM is 3.571, with its definition', () => {
    const { derived, definitions } = derive({ metrics, gpu: 'h100-sxm', gpuCount: 1 });
    expect(derived.tok_per_joule).toBeCloseTo(3.571, 3);
    expect(definitions.tok_per_joule).toBe('at_tdp');
  });

  test('at a limit of 610 W is 4.098, with its definition', () => {
    const { derived, definitions } = derive({ metrics, gpu: 'h100-sxm', gpuCount: 1, gpuPowerLimitW: 610 });
    expect(derived.tok_per_joule).toBeCloseTo(4.098, 3);
    expect(definitions.tok_per_joule).toBe('at_power_limit');
  });

  test('includes every GPU', () => {
    expect(derive({ metrics, gpu: 'h100-sxm', gpuCount: 4 }).derived.tok_per_joule).toBeCloseTo(3.571 / 4, 3);
  });

  test.each<[string, Facts]>([
    ['without the number of GPUs', { metrics, gpu: 'h100-sxm', gpuPowerLimitW: 610 }],
    ['if the catalogue has no rated power', { metrics, gpu: 'a10g', gpuCount: 1 }],
    ['if only the family is known', { metrics, gpu: 'h100', gpuCount: 1 }],
    ['for an unspecified GPU', { metrics, gpuCount: 1 }],
    ['without output throughput', { metrics: { total_tok_s: 2500 }, gpu: 'h100-sxm', gpuCount: 1 }],
    [
      'from decode speed if there was a prompt',
      { metrics: { decode_tok_s: 2500 }, gpu: 'h100-sxm', gpuCount: 1, inputTokens: 1024 },
    ],
    ['from decode speed if the prompt is unknown', { metrics: { decode_tok_s: 2500 }, gpu: 'h100-sxm', gpuCount: 1 }],
  ])('is missing %s', (_, facts) => {
    expect(derive(facts).derived).not.toHaveProperty('tok_per_joule');
    expect(derive(facts).definitions).not.toHaveProperty('tok_per_joule');
  });

  test('uses a power limit for a GPU of any name', () => {
    const { derived } = derive({ metrics, gpu: 'Frobnicator 9000', gpuCount: 1, gpuPowerLimitW: 500 });
    expect(derived.tok_per_joule).toBe(5);
  });

  // llama-bench's tg128 has no prompt, so decoding draws all power.
  test('uses the decode speed of a test without a prompt', () => {
    const facts: Facts = { metrics: { decode_tok_s: 189.82 }, gpuCount: 1, gpuPowerLimitW: 200, inputTokens: 0 };
    expect(derive(facts).derived.tok_per_joule).toBeCloseTo(0.9491, 6);
  });
});

describe('any result', () => {
  const values = fc.dictionary(
    fc.constantFrom(...metricNames),
    fc.oneof(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), fc.integer({ min: 1, max: 1_000_000 })),
    { maxKeys: 12 },
  ) as fc.Arbitrary<Metrics>;
  const loads = fc.record({ mode: fc.constantFrom(...loadModes), level: fc.integer({ min: 1, max: 4096 }) });
  const facts = fc.record({
    metrics: values,
    load: loads,
    gpu: fc.constantFrom('h100-sxm', 'H100', 'a10g', 'unspecified', 'Frobnicator 9000'),
    gpuCount: fc.option(fc.integer({ min: 1, max: 64 })),
    gpuPowerLimitW: fc.option(fc.integer({ min: 50, max: 1500 })),
    inputTokens: fc.option(fc.integer({ min: 0, max: 4096 })),
  });

  test('keeps measured values', () => {
    fc.assert(
      fc.property(facts, (given) => {
        for (const name of Object.keys(derive(given).derived)) expect(given.metrics).not.toHaveProperty(name);
      }),
    );
  });

  test('gives finite values, with definitions of their metrics', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { derived, definitions } = derive(given);
        for (const value of Object.values(derived)) expect(Number.isFinite(value)).toBe(true);
        for (const [base, id] of Object.entries(definitions)) {
          expect(findFamily(base)?.definitions.map((definition) => definition.id)).toContain(id);
          expect(Object.keys(derived).some((name) => findMetric(name)?.family.base === base)).toBe(true);
        }
      }),
    );
  });

  // Tools print 0.00 if every response has one token; 1000 / 0 is not a speed.
  test('gives no infinite speed for a TPOT of 0', () => {
    const { derived } = derive({ metrics: { tpot_ms_mean: 0 } });
    expect(derived).not.toHaveProperty('user_tok_s');
    expect(derived).not.toHaveProperty('itl_ms_mean');
  });
});
