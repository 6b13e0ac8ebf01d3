import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { metricFamilies, metricNames } from '../metrics/index.ts';
import { boundNames, boundShape, filterShape, toFilters } from './parameters.ts';

const schema = z.strictObject({ ...filterShape, ...boundShape });
const read = (given: Record<string, unknown>) => toFilters(schema.parse(given));
const accepts = (given: Record<string, unknown>) => schema.safeParse(given).success;
const messages = (given: Record<string, unknown>) =>
  schema.safeParse(given).error?.issues.map((issue) => issue.message) ?? [];

describe('each parameter becomes its filter', () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ model: 'llama-3.1-8b' }, { model: [{ by: 'id', id: 'llama-3.1-8b' }] }],
    [{ model_family: 'llama-3.1' }, { modelFamily: ['llama-3.1'] }],
    [{ quantization: 'fp8' }, { quantization: [{ by: 'id', id: 'fp8' }] }],
    [{ gpu: 'h100' }, { gpu: [{ by: 'family', family: 'h100' }] }],
    [{ gpu_count: '8' }, { gpuCount: [8] }],
    [{ gpu_power_limit_w: '62.5' }, { gpuPowerLimitW: [62.5] }],
    [{ engine: 'vLLM' }, { engine: [{ by: 'id', id: 'vllm' }] }],
    [{ engine_version: '0.11.0' }, { engineVersion: ['0.11.0'] }],
    [{ scenario: 'chatbot' }, { workload: ['chatbot'] }],
    [{ workload: 'chatbot-steady' }, { workload: ['chatbot-steady'] }],
    [{ workload: 'RAG / QA-burst' }, { workload: ['rag-burst'] }],
    [{ workload: '1536-256' }, { workload: ['1500-260'] }],
    [{ scenario: 'chatbot', workload: ['rag', 'chatbot'] }, { workload: ['chatbot', 'rag'] }],
    [{ regime: 'offline' }, { regime: ['offline'] }],
    [{ load_mode: 'burst' }, { loadMode: ['burst'] }],
    [{ load_level: '0.5' }, { loadLevel: [0.5] }],
    [{ min_load_level: '0' }, { minLoadLevel: 0 }],
    [{ max_load_level: '64' }, { maxLoadLevel: 64 }],
    [{ trust: 'managed' }, { trust: ['managed'] }],
    [{ min_quality: 'GSM8K:75%' }, { quality: [{ task: 'gsm8k', least: { score: 0.75 } }] }],
    [
      { quality_within: 'arc_challenge:bf16:0.5%' },
      { quality: [{ task: 'arcchallenge', least: { share: 0.995, of: { by: 'id', id: 'bf16' } } }] },
    ],
    [{ account: 'acc_1' }, { account: ['acc_1'] }],
    [{ tool: 'native' }, { tool: ['native', 'Inferboard native'] }],
    [{ since: '2026-01-01T00:00:00Z' }, { since: '2026-01-01T00:00:00Z' }],
    [{ until: '2026-01-01T00:00:00Z' }, { until: '2026-01-01T00:00:00Z' }],
    [{ include: 'quarantined' }, { include: ['quarantined'] }],
    [{ include: 'quarantined,retracted' }, { include: ['quarantined', 'retracted'] }],
    [{}, {}],
  ])('%j', (given, filters) => {
    expect(read(given)).toEqual({ include: [], bounds: [], ...filters });
  });

  test('for every filter', () => {
    const one: Record<string, string> = {
      load_mode: 'rate',
      regime: 'steady',
      trust: 'managed',
      min_quality: 'gsm8k:0.75',
      quality_within: 'gsm8k:1%',
      since: '2026-01-01T00:00:00Z',
      until: '2026-01-01T00:00:00Z',
      include: 'retracted',
    };
    for (const parameter of Object.keys(filterShape)) {
      const filters = read({ [parameter]: one[parameter] ?? '8' });
      expect(filters, parameter).not.toEqual({ include: [], bounds: [] });
    }
  });

  // Readers see "RAG / QA" on the page; the database stores the id.
  test.each(['RAG / QA', 'rag-qa', 'RAG'])('resolves the scenario alias %s', (text) => {
    expect(read({ scenario: text }).workload).toEqual(['rag']);
  });
});

describe('repeated parameters', () => {
  test('match any of their values', () => {
    expect(read({ gpu: ['h100', 'rtx-4090'], gpu_count: ['1', '8'], include: ['quarantined', 'retracted'] })).toEqual({
      gpu: [
        { by: 'family', family: 'h100' },
        { by: 'id', id: 'rtx-4090' },
      ],
      gpuCount: [1, 8],
      include: ['quarantined', 'retracted'],
      bounds: [],
    });
  });

  test('are accepted up to 100 times', () => {
    expect(accepts({ gpu: Array(100).fill('h100') })).toBe(true);
    expect(accepts({ gpu: Array(101).fill('h100') })).toBe(false);
    expect(accepts({ gpu: [] })).toBe(false);
  });

  test.each(['since', 'until', 'min_load_level', 'max_load_level', 'max_itl_ms', 'min_output_tok_s'])(
    'are rejected for %s',
    (parameter) => {
      const value = parameter === 'since' || parameter === 'until' ? '2026-01-01T00:00:00Z' : '8';
      expect(accepts({ [parameter]: value })).toBe(true);
      expect(messages({ [parameter]: [value, value] })).toEqual(['may be given only once']);
    },
  );
});

describe('values', () => {
  test.each<[string, string]>([
    ['load_mode', 'bursts'],
    ['trust', 'trusted'],
    ['include', 'accepted'],
    ['gpu_count', '1.5'],
    ['gpu_count', '-1'],
    ['gpu_count', '0'],
    ['gpu_count', '1000000000'],
    ['load_level', 'eight'],
    ['max_itl_ms', '20ms'],
    ['max_itl_ms', ''],
    ['max_itl_ms', 'NaN'],
    ['max_itl_ms', 'Infinity'],
    ['max_itl_ms', '0x10'],
    ['max_itl_ms', '1e999'],
    ['max_itl_ms', '-1'],
    ['max_gpu_count', '0'],
    ['max_load_level', '0'],
    ['load_level', '-8'],
    ['gpu_power_limit_w', '0'],
    ['max_gpu_power_limit_w', '-1'],
    ['since', '2026-01-01'],
    ['gpu', ''],
    ['gpu', 'x'.repeat(201)],
  ])('%s=%s is rejected', (parameter, value) => {
    expect(accepts({ [parameter]: value })).toBe(false);
  });

  // Zero is a measurement.
  test.each(['max_ttft_ms', 'max_requests_failed', 'min_load_level', 'min_gpu_count'])(
    '%s=0 is accepted',
    (parameter) => {
      expect(accepts({ [parameter]: '0' })).toBe(true);
    },
  );

  test('the error of a negative limit states why', () => {
    expect(messages({ max_itl_ms: '-1', max_load_level: '0' })).toEqual([
      'must be above 0, such as 8 or 0.5',
      'must be at least 0: no value is negative',
    ]);
  });

  test('numbers are accepted in decimal and exponent notation', () => {
    const bound = (value: string) => read({ min_itl_ms: value }).bounds[0]?.value;
    expect([bound('20'), bound('0.5'), bound('.5'), bound('-1'), bound('2e1'), bound('2E-1')]).toEqual([
      20, 0.5, 0.5, -1, 20, 0.2,
    ]);
    expect(bound(`${'9'.repeat(15)}e99`)).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  // The database rejects both. Invalid input must not appear as a server error.
  test.each([
    ['U+0000', { engine_version: '0.11\u0000' }],
    ['U+0000 in a scenario', { scenario: 'chat\u0000bot' }],
    ['U+0000 in a name', { gpu: 'Frob\u0000nicator' }],
    ['U+0000 in an account', { account: 'acc\u0000' }],
    ['the year 0', { since: '0000-01-01T00:00:00Z' }],
    ['an offset of a day', { until: '2026-01-01T00:00:00+23:59' }],
    ['hundreds of decimals', { since: `2026-01-01T00:00:00.${'1'.repeat(300)}Z` }],
  ])('%s is rejected', (_, given) => {
    expect(accepts(given)).toBe(false);
  });

  test('an unknown parameter is rejected', () => {
    expect(accepts({ max_itl: '20' })).toBe(false);
    expect(accepts({ max_load_mode: '20' })).toBe(false);
  });
});

describe('bounds', () => {
  test('exist for the minimum and maximum of every metric', () => {
    for (const side of ['min', 'max'] as const) {
      const covered = boundNames.filter(({ bound }) => bound.side === side).map(({ bound }) => bound.metric);
      expect(new Set(covered)).toEqual(new Set(metricNames));
      for (const name of metricNames) expect(Object.keys(boundShape)).toContain(`${side}_${name}`);
    }
  });

  test('have unique names', () => {
    const names = boundNames.map(({ parameter }) => parameter);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(Object.keys(filterShape)).not.toContain(name);
    expect(Object.keys(boundShape)).toEqual(names);
  });

  test('on a latency without a statistic apply to its mean', () => {
    for (const { base, statistics } of metricFamilies) {
      const bounds = read({ [`max_${base}`]: '20' }).bounds;
      expect(bounds).toEqual([{ metric: statistics === null ? base : `${base}_mean`, side: 'max', value: 20 }]);
    }
  });

  test('have a description of what they limit', () => {
    for (const { parameter, description } of boundNames)
      expect(description, parameter).toMatch(/^(Minimum|Maximum) \S.*\.$/);
    expect(boundNames.find(({ parameter }) => parameter === 'max_ttft_ms_p99')?.description).toBe(
      'Maximum p99 TTFT in ms.',
    );
    expect(boundNames.find(({ parameter }) => parameter === 'min_requests_ok')?.description).toBe(
      'Minimum Requests answered.',
    );
  });

  test('in any combination are each read unchanged', () => {
    const some = fc.uniqueArray(fc.tuple(fc.constantFrom(...boundNames), fc.integer({ min: 0, max: 1000 })), {
      selector: ([{ parameter }]) => parameter,
      maxLength: 12,
    });
    fc.assert(
      fc.property(some, (given) => {
        const query = Object.fromEntries(given.map(([{ parameter }, value]) => [parameter, String(value)]));
        const { bounds, ...rest } = read(query);
        expect(rest).toEqual({ include: [] });
        expect(bounds).toHaveLength(given.length);
        for (const [{ bound }, value] of given) expect(bounds).toContainEqual({ ...bound, value });
      }),
    );
  });
});

test('describes every parameter', () => {
  for (const [name, field] of Object.entries({ ...filterShape, ...boundShape })) {
    expect(field.description, name).toMatch(/\S/);
  }
});

test('a bare "fp4" selects both formats of that name', () => {
  const both = [
    { by: 'id', id: 'nvfp4' },
    { by: 'id', id: 'mxfp4' },
  ];
  const filters = toFilters({ quantization: ['FP4', 'fp8'], not_quantization: ['fp4'] });
  expect(filters.quantization).toEqual([...both, { by: 'id', id: 'fp8' }]);
  expect(filters.notQuantization).toEqual(both);
});
