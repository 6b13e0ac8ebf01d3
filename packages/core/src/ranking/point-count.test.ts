import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Filters, noFilters } from '../filters/filters.ts';
import { findMetric, type Metric, type MetricName } from '../metrics/index.ts';
import { type ResultStatus, resultStatuses, type Trust } from '../subjects/result.ts';
import { findGroup } from './formulas.ts';
import { type UnspecifiedReason, unspecifiedReasons } from './named-facts.ts';
import { countExcluded, type Needs, type PointCount, requiredFacts } from './point-count.ts';
import type { Dimension } from './subject.ts';

function metricOf(name: MetricName): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

const decode = metricOf('decode_tok_s');
const ofClient = [findGroup(decode, 'client')];
const needsOf = (filters: Partial<Filters> = {}, more: Partial<Needs> = {}): Needs => ({
  metrics: [decode],
  filters: { ...noFilters, ...filters },
  dimensions: ['system'],
  ...more,
});
const countOf = (shape: string, more: Partial<PointCount> = {}): PointCount => ({
  workload: 'chatbot-steady',
  status: 'accepted',
  trust: 'self_reported',
  unnamed: 0,
  shape,
  variants: null,
  points: 1,
  ...more,
});
const bitsOf = (facts: readonly UnspecifiedReason[]) =>
  facts.reduce((bits, fact) => bits + 2 ** unspecifiedReasons.indexOf(fact), 0);
const client = 'decode_tok_s:client';
const inProcess = 'decode_tok_s:in_process';
const ttftMax = { bounds: [{ metric: 'ttft_ms_mean' as const, side: 'max' as const, value: 100 }] };

interface Variant {
  decode: string | null;
  ttft: string | null;
  isSent: boolean;
}

interface Point {
  status: ResultStatus;
  trust: Trust;
  unnamed: UnspecifiedReason[];
  variants: Variant[];
  points: number;
}

const anyPoint: fc.Arbitrary<Point> = fc.record({
  status: fc.constantFrom<ResultStatus[]>('accepted', 'accepted', 'accepted', ...resultStatuses),
  trust: fc.constantFrom<Trust[]>('self_reported', 'recomputed'),
  unnamed: fc.oneof(fc.constant<UnspecifiedReason[]>([]), fc.subarray<UnspecifiedReason>([...unspecifiedReasons])),
  variants: fc.array(
    fc.record({
      decode: fc.constantFrom('client', 'in_process', '', null),
      ttft: fc.constantFrom('request', '', null),
      isSent: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  points: fc.integer({ min: 1, max: 5 }),
});

const anyAsked = fc.record({
  include: fc.subarray<Filters['include'][number]>(['provisional', 'quarantined', 'retracted']),
  isRecomputed: fc.boolean(),
  isBounded: fc.boolean(),
  isBySender: fc.boolean(),
  isOneAccount: fc.boolean(),
  subject: fc.constantFrom<Dimension[]>('system', 'model', 'quantization', 'engine'),
  group: fc.constantFrom('client', 'in_process', null),
});

/** Different variants may have sent the points of one shape. */
function toCount({ status, trust, unnamed, variants, points }: Point, isBySender: boolean): PointCount {
  const figuresOf = ({ decode: group, ttft }: Variant) => [
    ...(group === null ? [] : [`decode_tok_s:${group}`]),
    'output_tok_s:',
    ...(ttft === null ? [] : [`ttft_ms_mean:${ttft}`]),
  ];
  const sent = [...variants.keys()].filter((place) => variants[place]?.isSent);
  const shape = variants.map((variant) => figuresOf(variant).join(',')).join('|');
  return countOf(shape, { status, trust, unnamed: bitsOf(unnamed), points, variants: isBySender ? sent : null });
}

test('counts points by the first reason that applies, like a check of each point', () => {
  fc.assert(
    fc.property(fc.array(anyPoint, { maxLength: 30 }), anyAsked, (given, asked) => {
      const { include, isRecomputed, isBounded, isBySender, isOneAccount, subject, group } = asked;
      const isApart = isOneAccount && (subject === 'quantization' || subject === 'engine');
      const reasonOf = ({ status, trust, unnamed, variants }: Point): string | null => {
        if (status !== 'accepted' && !include.some((one) => one === status)) return status;
        if (isRecomputed && trust !== 'recomputed') return 'below_trust';
        if (!isApart && unnamed.includes('unspecified_model')) return 'unspecified_model';
        if (!isApart && unnamed.includes('unspecified_gpu')) return 'unspecified_gpu';
        const isNeeded = !isApart || subject === 'quantization';
        if (isNeeded && unnamed.includes('unspecified_quantization')) return 'unspecified_quantization';
        const whole = variants.filter(
          (one) => (one.isSent || !isBySender) && one.decode !== null && (one.ttft !== null || !isBounded),
        );
        if (whole.length === 0) return 'missing_metric';
        return group === null || isBounded || whole.some((one) => one.decode === group) ? null : 'other_definition';
      };
      // Points without a result of the senders do not match the request.
      const points = given.filter(({ variants }) => !isBySender || variants.some(({ isSent }) => isSent));
      const expected = new Map<string, number>();
      for (const point of points) {
        const reason = reasonOf(point);
        if (reason !== null) expected.set(reason, (expected.get(reason) ?? 0) + point.points);
      }
      const filters: Partial<Filters> = {
        include,
        ...(isRecomputed ? { trust: ['recomputed'] } : {}),
        ...(isOneAccount ? { account: ['one'] } : {}),
        ...(isBounded ? ttftMax : {}),
      };
      const chosen = group === null ? [null] : [findGroup(decode, group)];
      const counts = points.map((point) => toCount(point, isBySender));
      expect(countExcluded(counts, needsOf(filters, { dimensions: [subject] }), chosen)).toEqual(
        Object.fromEntries(expected),
      );
    }),
    { numRuns: 400 },
  );
});

describe('reasons', () => {
  const wanting = (more: Partial<PointCount>) => countOf('output_tok_s:', more);

  test('have a fixed order: status, trust, facts, metrics, formulas', () => {
    const counts = [
      countOf(inProcess),
      wanting({ points: 20 }),
      wanting({ unnamed: bitsOf(['unspecified_quantization']) }),
      wanting({ unnamed: bitsOf(['unspecified_quantization', 'unspecified_gpu']) }),
      wanting({ unnamed: bitsOf([...unspecifiedReasons]) }),
      wanting({ trust: 'imported', unnamed: bitsOf([...unspecifiedReasons]) }),
      ...resultStatuses.toReversed().map((status) => wanting({ status, trust: 'imported', points: 2 })),
    ];
    const filters: Partial<Filters> = { trust: ['self_reported'], include: ['provisional'] };
    const excluded = countExcluded(counts, needsOf(filters), ofClient);
    // The trust of accepted and included points is too low: 1 + 2 + 2.
    expect(Object.entries(excluded)).toEqual([
      ['simulated', 2],
      ['not_repetitions', 2],
      ['quarantined', 2],
      ['retracted', 2],
      ['below_trust', 5],
      ['unspecified_model', 1],
      ['unspecified_gpu', 1],
      ['unspecified_quantization', 1],
      ['missing_metric', 20],
      ['other_definition', 1],
    ]);
  });

  test('are empty if points have all required facts', () => {
    expect(countExcluded([], needsOf(), ofClient)).toEqual({});
    expect(countExcluded([countOf(client), countOf(`output_tok_s:|${client}`)], needsOf(), ofClient)).toEqual({});
  });

  test('use any of the requested trust levels', () => {
    const counts = [countOf(client), countOf(client, { trust: 'managed' }), countOf(client, { trust: 'recomputed' })];
    expect(countExcluded(counts, needsOf({ trust: ['managed', 'recomputed'] }), ofClient)).toEqual({ below_trust: 1 });
  });
});

describe('required facts of a point', () => {
  const missing = (shape: string, needs: Needs, more: Partial<PointCount> = {}) =>
    countExcluded([countOf(shape, more)], needs, []).missing_metric ?? 0;

  test('include the metric by its exact name', () => {
    const needs = needsOf({}, { metrics: [metricOf('output_tok_s')] });
    expect(missing('output_tok_s_per_gpu:', needs)).toBe(1);
    expect(missing('output_tok_s_per_gpu:,output_tok_s:', needs)).toBe(0);
    expect(missing('goodput_req_s:', needsOf({}, { metrics: [metricOf('req_s')] }))).toBe(1);
    expect(missing('', needs)).toBe(1);
  });

  test('include all ranked and bounded metrics, in one variant', () => {
    const needs = needsOf({}, { metrics: [decode, metricOf('output_tok_s')] });
    expect(missing(`${client}|output_tok_s:`, needs)).toBe(1);
    expect(missing(`${client},output_tok_s:|req_s:`, needs)).toBe(0);
    expect(missing(`${client},req_s:|ttft_ms_mean:request`, needsOf(ttftMax))).toBe(1);
    expect(missing(`${client}|${client},ttft_ms_mean:request`, needsOf(ttftMax))).toBe(0);
    // It is unknown here whether the bound is met.
    const other = [countOf(`${inProcess},ttft_ms_mean:request`)];
    expect(countExcluded(other, needsOf(ttftMax), ofClient)).toEqual({});
  });

  test('include a variant with a result of the requested senders', () => {
    const shape = `${client}|output_tok_s:|${inProcess}`;
    const excluded = (variants: number[]) => countExcluded([countOf(shape, { variants })], needsOf(), ofClient);
    expect(excluded([0])).toEqual({});
    expect(excluded([1])).toEqual({ missing_metric: 1 });
    expect(excluded([1, 2])).toEqual({ other_definition: 1 });
    expect(excluded([0, 2])).toEqual({});
  });

  test('include no metric if none is requested', () => {
    const needs = needsOf({}, { metrics: [] });
    expect(countExcluded([countOf(''), countOf('', { status: 'retracted' })], needs, [])).toEqual({ retracted: 1 });
    expect(missing(client, needsOf(ttftMax, { metrics: [] }))).toBe(1);
  });

  test('include the formulas of all metrics together', () => {
    const ttft = metricOf('ttft_ms_mean');
    const needs = needsOf({}, { metrics: [decode, ttft] });
    const chosen = [findGroup(decode, 'client'), findGroup(ttft, 'request')];
    const excluded = (shape: string, groups = chosen) => countExcluded([countOf(shape)], needs, groups);
    const apart = `${client},ttft_ms_mean:batch|${inProcess},ttft_ms_mean:request`;
    expect(excluded(apart)).toEqual({ other_definition: 1 });
    expect(excluded(`${apart}|${client},ttft_ms_mean:request`)).toEqual({});
    expect(excluded(apart, [findGroup(decode, 'client'), null])).toEqual({});
    // A value without a recorded formula is not compared with values that have one.
    expect(excluded('decode_tok_s:,ttft_ms_mean:request')).toEqual({ other_definition: 1 });
    expect(excluded('decode_tok_s:,ttft_ms_mean:request', [null, null])).toEqual({});
  });
});

test.each<[Dimension[], string[] | undefined, UnspecifiedReason[]]>([
  [['system'], undefined, [...unspecifiedReasons]],
  [['engine'], undefined, [...unspecifiedReasons]],
  [['engine'], ['one'], []],
  [['engine'], ['one', 'two'], [...unspecifiedReasons]],
  [['quantization'], ['one'], ['unspecified_quantization']],
  [['quantization', 'scenario'], ['one'], ['unspecified_quantization']],
  [['engine', 'gpu'], ['one'], [...unspecifiedReasons]],
  [['model_family'], ['one'], [...unspecifiedReasons]],
])('a board of %j for accounts %j requires %j', (dimensions, account, facts) => {
  const filters = { ...noFilters, ...(account === undefined ? {} : { account }) };
  expect(requiredFacts({ dimensions, filters })).toBe(bitsOf(facts));
});
