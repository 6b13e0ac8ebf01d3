import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { engines, gpuFamilies, gpus, modelFamilies, models, quantizations, scenarios } from '../../catalogue/index.ts';
import { boundShape, filterShape, toFilters } from '../../filters/parameters.ts';
import { metricNames } from '../../metrics/index.ts';
import { loadModesOrUnspecified } from '../../subjects/load.ts';
import { trustLevels } from '../../subjects/result.ts';
import { regimes } from '../../workloads/regime.ts';
import {
  parseQuestion,
  type Question,
  type QuestionFilters,
  type RankName,
  subjects,
  toParameters,
  toWords,
} from '../index.ts';

import { isUnit } from '../words/numbers.ts';
import { toWordList } from '../words/tokens.ts';

type Asked = Omit<Question, 'interpretation' | 'ignored'>;

const ranking = { kind: 'rank' as const, compared: [], fit: null };
const plain: Asked = {
  ...ranking,
  subject: 'system',
  rankBy: 'output_tok_s_per_gpu',
  saysRank: false,
  energyUnit: null,
  order: 'desc',
  filters: {},
  limit: null,
  price: null,
};

function expectSame(asked: Asked) {
  const words = toWords(asked);
  const { interpretation, ignored: _, ...read } = parseQuestion(words);
  expect(read, words).toEqual(asked);
  return interpretation;
}

const ids = {
  model: [...models, ...modelFamilies].map(({ id }) => id),
  gpu: [...gpus, ...gpuFamilies].map(({ id }) => id),
  quantization: quantizations.map(({ id }) => id),
  engine: engines.map(({ id }) => id),
  scenario: [...scenarios.map(({ id }) => id), 'pp512', 'tg128', 'pp512+tg128@d4096', '200-60'],
  tool: ['guidellm', 'vllm-bench-serve', 'native', 'some script'],
  account: ['acme', 'Jane "J" Doe', 'back\\slash'],
  trust: [...trustLevels],
  load_mode: [...loadModesOrUnspecified],
  regime: [...regimes],
};
const names = Object.entries(ids).flatMap(([filter, values]) => values.map((value) => [filter, value] as const));

test.each(names)('%s %s is unchanged by formatting and parsing', (filter, value) => {
  expectSame({ ...plain, filters: { [filter]: [value] } });
});

test.each(metricNames)('%s as rank, minimum and maximum is unchanged by formatting and parsing', (name) => {
  for (const order of ['asc', 'desc'] as const) expectSame({ ...plain, rankBy: name, saysRank: true, order });
  for (const value of [0, 0.125, 1, 1.1, 20, 1234.5678, 1e-9, 3e9])
    for (const side of ['min', 'max']) expectSame({ ...plain, filters: { [`${side}_${name}`]: value } });
});

/** Any set of filters without contradictions. */
const level = fc.oneof(fc.integer({ min: 1, max: 4096 }), fc.constantFrom(0.5, 2.25));
const some = <T>(values: readonly T[], maxLength = 3) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength });
const range = (filter: string) =>
  fc.tuple(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 3 })).map(([value, ends]) => ({
    ...(ends === 1 || ends === 2 ? { [`min_${filter}`]: value / 1000 } : {}),
    ...(ends >= 2 ? { [`max_${filter}`]: value / 1000 + 1 } : {}),
  }));
const day = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2099-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const listed = fc.record(
  {
    ...Object.fromEntries(Object.entries(ids).map(([filter, values]) => [filter, some(values)])),
    gpu_count: fc.uniqueArray(fc.integer({ min: 1, max: 1024 }), { minLength: 1, maxLength: 3 }),
    min_quality: some(['gsm8k:0.75', 'mmlu_pro:1', 'arc_challenge:0.125']),
    quality_within: some(['gsm8k:bf16:0.01', 'mmlu:fp8:0.005']),
    load_level: fc.uniqueArray(level, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const dated = fc.record({ since: day, until: fc.constant('2099-12-31') }, { requiredKeys: [] });
const ratios = /^(?:mbu|mfu|scaling_efficiency)$/;
const limited = fc.uniqueArray(fc.constantFrom(...metricNames.filter((name) => !ratios.test(name))), { maxLength: 3 });
const filters = fc
  .tuple(
    listed,
    dated,
    limited.chain((chosen) => fc.tuple(...chosen.map(range))),
    range('load_level'),
  )
  .map(([lists, dates, bounds, load]): QuestionFilters => Object.assign({}, lists, dates, ...bounds, load));
const ranked = fc.oneof(
  fc.record({
    rankBy: fc.constantFrom<RankName>(...metricNames),
    saysRank: fc.constant(true),
    energyUnit: fc.constant(null),
    price: fc.constant(null),
  }),
  fc.record({
    rankBy: fc.constant<RankName>('usd_per_mtok_output'),
    saysRank: fc.constant(true),
    energyUnit: fc.constant(null),
    price: fc.constantFrom(0.5, 2, 2.5, 98.32),
  }),
);
const questions = fc
  .tuple(
    fc.constantFrom(...subjects),
    ranked,
    fc.constantFrom('asc' as const, 'desc' as const),
    filters,
    fc.option(fc.integer({ min: 1, max: 100 })),
  )
  .map(
    ([subject, rank, order, given, limit]): Asked => ({ ...ranking, subject, ...rank, order, filters: given, limit }),
  );

test('a question is unchanged by formatting and parsing', () => {
  fc.assert(
    fc.property(questions, (asked) => {
      const words = toWords(asked);
      fc.pre(words.length <= 500 && toWordList(words, isUnit).tokens.length <= 80);
      const interpretation = expectSame(asked);
      // The words contain every phrase, in order.
      let from = 0;
      for (const { phrase } of interpretation) {
        const at = words.indexOf(phrase, from);
        expect(at, `${phrase} in ${words}`).toBeGreaterThanOrEqual(from);
        from = at;
      }
    }),
    { numRuns: 500 },
  );
});

describe('the filters of a question are valid parameters', () => {
  const schema = z.strictObject({ ...filterShape, ...boundShape });
  test('for any question', () => {
    fc.assert(
      fc.property(filters, (given) => {
        const parameters = schema.safeParse(toParameters({ filters: given }));
        expect(parameters.error?.issues, JSON.stringify(given)).toBeUndefined();
        if (parameters.success) toFilters(parameters.data);
      }),
      { numRuns: 200 },
    );
  });

  test('and a day is the start of that day', () => {
    const { filters: read } = parseQuestion('h100 since 2026-06-01 until 2026-06-02T12:00:00+02:00');
    expect(toParameters({ filters: read })).toEqual({
      gpu: ['h100'],
      since: '2026-06-01T00:00:00Z',
      until: '2026-06-02T12:00:00+02:00',
    });
  });
});
