import { describe, expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { expandPlan } from './expand.ts';
import { mixNameMax, mixPartsMax, weightMax } from './mix.ts';
import { pointsMax } from './plan-schema.ts';
import { readPlan } from './read-plan.ts';
import { noLimits } from './scale.ts';

function faultsOf(written: unknown) {
  try {
    readPlan(written);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  return [];
}

const item = { scenario: 'chatbot', load: { mode: 'concurrency', level: 8 } };

test('reads a name as a plan with default values', () => {
  expect(readPlan({ plan: 'inference-report' })).toEqual({
    ...{ plan: 'inference-report', repetitions: null, warmup: null, seed: null, slo: null, errorsMax: null },
    ...{ limits: noLimits, workers: 1 },
  });
});

test('refuses several workers with until', () => {
  expect(readPlan({ plan: 'batch-grid', until: 'ci=2%' })).toMatchObject({ workers: 1 });
  expect(() => readPlan({ plan: 'batch-grid', until: 'ci=2%', workers: 2 })).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ pointer: '/workers' })] }),
  );
});

test('reads every field', () => {
  const limits = { duration_s: 600, requests: 1000, tokens: 5_000_000, concurrency: 32, max_errors: 20 };
  const slo = 'ttft<500,tpot<30';
  expect(readPlan({ plan: 'batch-grid', repetitions: 5, warmup: 2, seed: 42, slo, limits, workers: 3 })).toEqual({
    ...{ plan: 'batch-grid', repetitions: 5, warmup: 2, seed: 42, slo, errorsMax: 20, workers: 3 },
    limits: { durationS: 600, requests: 1000, tokens: 5_000_000, concurrency: 32 },
  });
});

describe('a list of items', () => {
  test('accepts named scenarios, numbers and data sets, each with a load', () => {
    const { plan } = readPlan({
      plan: [
        item,
        { scenario: { input_tokens: 2000, output_tokens: 100 }, load: { mode: 'burst', level: 4 } },
        { scenario: { input_tokens: 1024, output_tokens: 256 }, load: { mode: 'burst', level: 4 } },
        {
          scenario: 'sharegpt',
          load: { mode: 'rate', level: 2.5, burstiness: 0.5, max_concurrency: 64 },
          requests: 300,
        },
        { scenario: { dataset: 'AI-MO/NuminaMath-CoT' }, load: { mode: 'concurrency', level: 1 }, warmup: 0 },
        { scenario: 'base', load: { mode: 'batch', level: 32 } },
      ],
    });
    expect(plan).toMatchObject([
      { scenario: { id: 'chatbot', inputTokens: 1024 }, load: { mode: 'concurrency', level: 8 }, requests: 32 },
      { scenario: { id: '2000-100', inputTokens: 2000, outputTokens: 100 }, requests: 4 },
      { scenario: { id: 'chatbot' } },
      { scenario: { id: 'sharegpt' }, load: { level: 2.5, burstiness: 0.5, maxConcurrency: 64 }, requests: 300 },
      { scenario: { id: 'numina-math' }, warmup: 0 },
      { scenario: { id: 'base' }, requests: 32 },
    ]);
  });

  test('accepts drawn lengths and shared prefixes', () => {
    const load = { mode: 'concurrency', level: 2 };
    const drawn = { input_tokens: 'normal:512:64', output_tokens: 256 };
    const prefix = { groups: 8, tokens: 1024 };
    const asked = readPlan({
      plan: [
        { scenario: drawn, load },
        { scenario: { ...drawn, prefix }, load },
        { scenario: { input_tokens: 100, output_tokens: 20, prefix }, load },
        { scenario: { name: 'chatbot', prefix }, load },
      ],
    });
    expect(asked.plan).toMatchObject([
      {
        scenario: {
          ...{ id: 'lengths-normal-512-64-to-256', inputTokens: null, outputTokens: 256 },
          prompts: { input: { kind: 'normal', mean: 512, sd: 64 }, output: { kind: 'constant', tokens: 256 } },
        },
      },
      { scenario: { id: 'prefix-8x1024-lengths-normal-512-64-to-256', inputTokens: null } },
      { scenario: { id: 'prefix-8x1024', inputTokens: 1124, outputTokens: 20, dataset: 'prefix-8x1024' } },
      { scenario: { id: 'prefix-8x1024', inputTokens: 2048, outputTokens: 256 } },
    ]);
    const { points, totals } = expandPlan({ ...asked, seed: 1 });
    expect(new Set(points.map(({ key }) => key)).size).toBe(4);
    const requests = points.reduce((sum, point) => sum + point.requests + point.warmup, 0);
    expect(totals.tokens).toBe((requests / 4) * (768 + 1792 + 1144 + 2304));
  });

  test('accepts mixes of request shapes', () => {
    const mix = [
      { name: 'chatbot', weight: 3 },
      { input_tokens: 2000, output_tokens: 11 },
    ];
    const asked = readPlan({ plan: [{ scenario: { mix }, load: { mode: 'concurrency', level: 2 }, warmup: 0 }] });
    expect(asked.plan).toMatchObject([
      {
        scenario: {
          ...{ id: 'mix-1024x256-3-2000x11-1', inputTokens: null, outputTokens: null },
          mix: [
            { name: 'chatbot', weight: 3, inputTokens: 1024, outputTokens: 256 },
            { name: '2000x11', weight: 1, inputTokens: 2000, outputTokens: 11 },
          ],
        },
      },
    ]);
    const { totals } = expandPlan({ ...asked, seed: 1 });
    expect(totals).toMatchObject({ requests: 16, tokens: 16 * (1268 + 195) });
  });

  test('names the longest mix within the limit', () => {
    const part = { input_tokens: 10_000_000, output_tokens: 10_000_000 };
    const mix = Array.from({ length: mixPartsMax }, (_, at) => ({ ...part, weight: weightMax - Number(at === 0) }));
    const scenario = { mix };
    const { plan } = readPlan({
      plan: [{ scenario, load: { mode: 'concurrency', level: 1 }, requests: 1, warmup: 0 }],
    });
    const [first] = typeof plan === 'string' ? [] : plan;
    expect(first?.scenario.id).toHaveLength(mixNameMax - 4);
  });

  test('reports all faults of a mix at once', () => {
    const load = { mode: 'concurrency', level: 2 };
    const placesOf = (scenario: object) =>
      faultsOf({ plan: [{ scenario, load }] }).map(({ code, pointer, hint }) => `${code} ${pointer} ${hint ?? ''}`);
    const unreadable = [
      { input_tokens: 9, weigth: 2 },
      { name: 'rag', weight: 0 },
    ];
    expect(placesOf({ mix: unreadable })).toEqual([
      'field_unknown /plan/0/scenario/mix/0/weigth Did you mean "weight"?',
      'value_invalid /plan/0/scenario/mix/1/weight ',
    ]);
    expect(placesOf({ mix: [{ name: 'rag' }] })).toEqual(['value_invalid /plan/0/scenario/mix ']);
    const unfit = [{ name: 'sharegpt' }, { input_tokens: 9, output_tokens: 0 }, { name: 'rag', output_tokens: 5 }];
    expect(placesOf({ mix: unfit, turns: 2 })).toEqual([
      'plan_inconsistent /plan/0/scenario/turns Omit it, or omit the mix.',
      'scenario_not_runnable /plan/0/scenario/mix/0/name Send them instead of the name.',
      'plan_inconsistent /plan/0/scenario/mix/1/output_tokens Send a whole number above 0.',
      'plan_inconsistent /plan/0/scenario/mix/2/name Omit it, or omit the lengths.',
      'plan_inconsistent /plan/0/scenario/mix/2/input_tokens Send a whole number above 0.',
    ]);
  });

  test('accepts conversations, whose turns are requests', () => {
    const load = { mode: 'concurrency', level: 4 };
    const turns = { turns: 5, think_s: 'lognormal:2:0.5' };
    const prefix = { groups: 2, tokens: 1000 };
    const asked = readPlan({
      plan: [
        { scenario: { input_tokens: 100, output_tokens: 20, ...turns }, load, requests: 10, warmup: 3 },
        { scenario: { name: 'chatbot', turns: 2, think_s: 0.5, prefix }, load, requests: 10, warmup: 0 },
      ],
    });
    expect(asked.plan).toMatchObject([
      {
        scenario: {
          ...{ id: 'turns-5-think-lognormal-2-0.5-100-to-20', inputTokens: null, outputTokens: 20 },
          prompts: { conversation: { turns: 5, thinkS: { kind: 'lognormal', median: 2, sigma: 0.5 } } },
        },
        requests: 10,
      },
      { scenario: { id: 'prefix-2x1000-turns-2-think-0.5-1024-to-256' } },
    ]);
    const { points, totals, atMost } = expandPlan({ ...asked, seed: 1 });
    expect(points.map(({ requests }) => requests)).toEqual([10, 10]);
    expect(atMost.requests).toBe(10 * 5 + 10 * 2);
    expect(totals.requests).toBe(10 * 5 + 3 + 10 * 2);
    // Turn n sends n messages and n - 1 responses.
    const first = 100 + 2 * (100 + 20) + 20;
    const second = 1000 + 1024 + (1024 + 256) / 2 + 256;
    expect(totals.tokens).toBe((10 * 5 + 3) * first + 10 * 2 * second);
    const limited = expandPlan({ ...asked, seed: 1, limits: { ...noLimits, requests: 40 } });
    expect(limited.totals.requests).toBeLessThanOrEqual(40);
    expect(limited.points.map(({ requests }) => requests)).toEqual([5, 5]);
  });

  test('has one repetition by default', () => {
    expect(expandPlan({ ...readPlan({ plan: [item] }), seed: 1 }).points).toHaveLength(1);
    expect(expandPlan({ ...readPlan({ plan: [item], repetitions: 4 }), seed: 1 }).points).toHaveLength(4);
  });

  test('takes the warm-up of the run if an item has none', () => {
    const { plan } = readPlan({ plan: [item, { ...item, scenario: 'rag', warmup: 7 }], warmup: 3 });
    expect(plan).toMatchObject([{ warmup: 3 }, { warmup: 7 }]);
  });
});

describe('reports the location of an error:', () => {
  const listed = (part: object) => ({ plan: [{ ...item, ...part }] });
  const load = (part: object) => listed({ load: { ...item.load, ...part } });
  test.each<[string, unknown, string, string]>([
    ['no plan', {}, '/plan', 'value_invalid'],
    ['an unknown plan', { plan: 'inference-rapport' }, '/plan', 'value_invalid'],
    ['an empty list', { plan: [] }, '/plan', 'value_invalid'],
    ['an unknown field', { plan: 'batch-grid', repetition: 3 }, '/repetition', 'field_unknown'],
    ['an unknown limit', { plan: 'batch-grid', limits: { duration: 3 } }, '/limits/duration', 'field_unknown'],
    ['a fractional number of repetitions', { plan: 'batch-grid', repetitions: 1.5 }, '/repetitions', 'value_invalid'],
    ['a seed above the JSON range', { plan: 'batch-grid', seed: 2 ** 60 }, '/seed', 'value_invalid'],
    ['a maximum of 0 errors', { plan: 'batch-grid', limits: { max_errors: 0 } }, '/limits/max_errors', 'value_invalid'],
    ['a limit of 0', { plan: 'batch-grid', limits: { requests: 0 } }, '/limits/requests', 'value_invalid'],
    ['limits of a request with a statistic', { plan: 'batch-grid', slo: 'ttft_p99<5' }, '/slo', 'limits_unreadable'],
    [
      'limits of a request in a long text',
      { plan: 'batch-grid', slo: 'ttft<5,'.repeat(100).slice(0, -1) },
      ...['/slo', 'value_invalid'],
    ] as [string, unknown, string, string],
    ['limits of a request as a number', { plan: 'batch-grid', slo: 5 }, '/slo', 'value_invalid'],
    ['a width without a unit', { plan: 'batch-grid', until: 'ci=2' }, '/until', 'until_unreadable'],
    ['too many repetitions', { plan: 'batch-grid', until: 'ci=2%,max=101' }, '/until', 'until_unreadable'],
    ['a search with until', { plan: 'capacity', until: 'ci=2%' }, '/until', 'plan_inconsistent'],
    [
      'until with repetitions',
      { plan: 'batch-grid', until: 'ci=2%', repetitions: 3 },
      ...['/repetitions', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    ['an unknown scenario', listed({ scenario: 'chatbto' }), '/plan/0/scenario', 'scenario_unknown'],
    [
      'an unknown scenario with lengths',
      listed({ scenario: { name: 'chatbto', input_tokens: 64, output_tokens: 16 } }),
      ...['/plan/0/scenario', 'scenario_unknown'],
    ] as [string, unknown, string, string],
    [
      'a scenario with other numbers',
      listed({ scenario: { name: 'chatbot', input_tokens: 5 } }),
      '/plan/0/scenario/input_tokens',
      'scenario_contradicted',
    ],
    ['an offline scenario under another load', listed({ scenario: 'base' }), '/plan/0/load', 'scenario_contradicted'],
    ['a scenario without output', listed({ scenario: 'pp512' }), '/plan/0/scenario', 'scenario_not_runnable'],
    ['a scenario without input', listed({ scenario: 'tg128' }), '/plan/0/scenario', 'scenario_not_runnable'],
    [
      'a data set that cannot be read',
      listed({ scenario: { dataset: 'sonnet', input_tokens: 5, output_tokens: 5 } }),
      '/plan/0/scenario/dataset',
      'scenario_not_runnable',
    ],
    [
      'a data set with lengths',
      listed({ scenario: { name: 'sharegpt', input_tokens: 500 } }),
      '/plan/0/scenario',
      'scenario_not_runnable',
    ],
    [
      'a maximum length below the minimum',
      listed({ scenario: { input_tokens: 'uniform:9:5', output_tokens: 5 } }),
      ...['/plan/0/scenario/input_tokens', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'a distribution of lengths without its second number',
      listed({ scenario: { input_tokens: 5, output_tokens: 'normal:9' } }),
      ...['/plan/0/scenario/output_tokens', 'value_invalid'],
    ] as [string, unknown, string, string],
    [
      'a number as text',
      listed({ scenario: { input_tokens: '5', output_tokens: 5 } }),
      ...['/plan/0/scenario/input_tokens', 'value_invalid'],
    ] as [string, unknown, string, string],
    [
      'drawn lengths without the others',
      listed({ scenario: { input_tokens: 'normal:9:1' } }),
      ...['/plan/0/scenario/output_tokens', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'drawn lengths with a name',
      listed({ scenario: { name: 'chatbot', input_tokens: 'normal:9:1', output_tokens: 5 } }),
      ...['/plan/0/scenario/name', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'a prefix of a data set',
      listed({ scenario: { name: 'sharegpt', prefix: { groups: 1, tokens: 9 } } }),
      ...['/plan/0/scenario/name', 'scenario_not_runnable'],
    ] as [string, unknown, string, string],
    [
      'a prefix of an unknown name',
      listed({ scenario: { name: 'chatbto', prefix: { groups: 1, tokens: 9 } } }),
      ...['/plan/0/scenario', 'scenario_unknown'],
    ] as [string, unknown, string, string],
    [
      'a mistyped field of a prefix',
      listed({ scenario: { name: 'chatbot', prefix: { groups: 1, token: 9 } } }),
      ...['/plan/0/scenario/prefix/token', 'field_unknown'],
    ] as [string, unknown, string, string],
    [
      'turns of a data set',
      listed({ scenario: { dataset: 'sharegpt', turns: 2 } }),
      ...['/plan/0/scenario/dataset', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'a single turn',
      listed({ scenario: { name: 'chatbot', turns: 1 } }),
      ...['/plan/0/scenario/turns', 'value_invalid'],
    ] as [string, unknown, string, string],
    [
      'think time without turns',
      listed({ scenario: { name: 'chatbot', think_s: 2 } }),
      ...['/plan/0/scenario/think_s', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'think time that is no distribution',
      listed({ scenario: { name: 'chatbot', turns: 2, think_s: 'often' } }),
      ...['/plan/0/scenario/think_s', 'value_invalid'],
    ] as [string, unknown, string, string],
    [
      'think time of hours',
      listed({ scenario: { name: 'chatbot', turns: 2, think_s: 'uniform:10:9000' } }),
      ...['/plan/0/scenario/think_s', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'conversations for several workers',
      { ...listed({ scenario: { name: 'chatbot', turns: 2 } }), workers: 2 },
      ...['/workers', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'conversations with more tokens than a worker can hold',
      listed({ scenario: { input_tokens: 1000, output_tokens: 5, turns: 1000 }, requests: 4 }),
      ...['/plan/0/requests', 'requests_unfit'],
    ] as [string, unknown, string, string],
    [
      'prefixes that are too long together',
      listed({ scenario: { name: 'chatbot', prefix: { groups: 100_000, tokens: 1000 } } }),
      ...['/plan/0/scenario/prefix', 'plan_inconsistent'],
    ] as [string, unknown, string, string],
    [
      'more tokens than a worker can hold',
      listed({ scenario: { input_tokens: 100_000, output_tokens: 5 }, requests: 1000 }),
      ...['/plan/0/requests', 'requests_unfit'],
    ] as [string, unknown, string, string],
    [
      'more drawn tokens than a worker can hold',
      listed({ scenario: { input_tokens: 5, output_tokens: 'lognormal:1000:5' }, requests: 1000 }),
      ...['/plan/0/requests', 'requests_unfit'],
    ] as [string, unknown, string, string],
    ['a missing load', listed({ load: undefined }), '/plan/0/load', 'value_invalid'],
    ['an unknown mode', load({ mode: 'queue' }), '/plan/0/load/mode', 'value_invalid'],
    ['a missing level', load({ level: undefined }), '/plan/0/load/level', 'value_invalid'],
    ['a fractional number of users', load({ level: 1.5 }), '/plan/0/load/level', 'value_invalid'],
    ['a burstiness of a closed loop', load({ burstiness: 1 }), '/plan/0/load/burstiness', 'value_invalid'],
    ['a mistyped field of a load', load({ levle: 1 }), '/plan/0/load/levle', 'field_unknown'],
    ['fewer requests than users', listed({ requests: 7 }), '/plan/0/requests', 'requests_unfit'],
    [
      'more requests than a burst has',
      listed({ load: { mode: 'burst', level: 4 }, requests: 8 }),
      '/plan/0/requests',
      'requests_unfit',
    ],
    ['a duplicate item', { plan: [item, item] }, '/plan/1', 'item_repeated'],
  ])('%s', (_title, written, pointer, code) => {
    const faults = faultsOf(written);
    expect(faults).toContainEqual(expect.objectContaining({ pointer, code }));
    for (const { message } of faults) expect(message).not.toMatch(/undefined|Invalid/);
  });
});

test('rejects other types without an exception', () => {
  for (const written of [null, 3, 'inference-report', [], [item], { plan: 3 }, { plan: [null, 3, []] }])
    expect(faultsOf(written).length).toBeGreaterThan(0);
});

// Reporting one error at a time would take ten attempts for ten errors.
test('reports all errors at once', () => {
  const faults = faultsOf({
    plan: [
      { scenario: 'chatbto', load: { mode: 'rate', level: -1 } },
      { scenario: 'base', load: { mode: 'burst', level: 2 } },
      5,
    ],
    repetitions: 0,
    limits: { tokens: 'many' },
  });
  expect(faults.map(({ pointer }) => pointer)).toEqual([
    '/repetitions',
    '/limits/tokens',
    '/plan/0/load/level',
    '/plan/1/load',
    '/plan/2',
  ]);
});

test('reports errors as full sentences', () => {
  const written = { plan: [{ scenario: 'base', load: { mode: 'burst', level: 1.5 } }], repetitions: 'x' };
  expect(faultsOf(written).map(({ message }) => message)).toEqual([
    '/repetitions must be a whole number from 1 to 100.',
    '/plan/0/load/level must be a whole number.',
    'The scenario "base" has load one batch of 32, not burst 1.5.',
  ]);
  expect(faultsOf({})).toMatchObject([{ message: expect.stringMatching(/^\/plan is missing/) }]);
});

test('reports a number beyond the precision of a double once', () => {
  const faults = faultsOf({ plan: 'batch-grid', seed: 1e30 });
  expect(faults.map(({ message }) => message)).toEqual(['/seed must be a whole number from 0 to 9007199254740991.']);
});

test('suggests the intended name', () => {
  expect(faultsOf({ plan: 'inference-rapport' })[0]?.hint).toContain('inference-report');
  expect(faultsOf({ plan: 'batch-grid', repetition: 3 })[0]?.hint).toContain('repetitions');
  expect(faultsOf({ plan: [{ ...item, load: { ...item.load, levle: 1 } }] })[0]?.hint).toContain('level');
  expect(faultsOf({ plan: [{ ...item, scenario: 'chatbto' }] })[0]?.hint).toContain('chatbot');
});

test('limits the points of a run to the maximum number of results', () => {
  const plan = Array.from({ length: 101 }, (_, index) => ({ ...item, load: { mode: 'burst', level: index + 1 } }));
  expect(faultsOf({ plan, repetitions: 99 })).toEqual([]);
  expect(faultsOf({ plan, repetitions: 100 })).toEqual([
    expect.objectContaining({ pointer: '/repetitions', message: expect.stringContaining(String(pointsMax)) }),
  ]);
});
