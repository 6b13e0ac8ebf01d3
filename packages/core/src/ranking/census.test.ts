import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Filters, noFilters } from '../filters/filters.ts';
import { findMetric, type Metric, type MetricName } from '../metrics/index.ts';
import { type GivenRow, tableOf } from '../testing/point-table.ts';
import { takeCensus } from './census.ts';
import { listRows } from './row-set.ts';

function metricOf(name: MetricName): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

const rankBy = metricOf('decode_tok_s');
const formulas = ['client', 'in_process', ''] as const;

const value = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined });
const anyPoint = fc.record({
  status: fc.constantFrom('accepted', 'accepted', 'accepted', 'quarantined', 'retracted'),
  trust: fc.constantFrom('self_reported', 'recomputed'),
  gpu: fc.constantFrom('h100-sxm', 'l40s'),
  variants: fc.array(
    fc.record({ decode: value, ttft: value, formula: fc.constantFrom(...formulas), isSent: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  ),
});

type Point = typeof anyPoint extends fc.Arbitrary<infer T> ? T : never;

const toRows = (points: readonly Point[]): GivenRow[] =>
  points.flatMap(({ status, trust, gpu, variants }, place) =>
    variants.map(({ decode, ttft, formula }, variant) => ({
      point: place + 1,
      variant,
      system: `${gpu} ${place % 5}`,
      gpu,
      status,
      trust,
      values: {
        ...(decode === undefined ? {} : { decode_tok_s: decode }),
        ...(ttft === undefined ? {} : { ttft_ms_mean: ttft }),
      },
      definitions: { decode_tok_s: formula },
    })),
  );

interface Asked {
  include: Filters['include'];
  isRecomputed: boolean;
  isH100: boolean;
  /** A bound on the time to the first token. */
  ttftMax: number | null;
  isBySender: boolean;
}

/** Point by point, the first reason that holds; the chosen formulas are those of most worth among complete rows. */
function countByHand(points: readonly Point[], asked: Asked) {
  const excluded: Record<string, number> = {};
  const leaveOut = (reason: string) => {
    excluded[reason] = (excluded[reason] ?? 0) + 1;
  };
  let first = 0;
  const complete: { row: number; formula: string; ttft: number | undefined }[][] = [];
  for (const { status, trust, gpu, variants } of points) {
    const rows = variants.map((variant, place) => ({ ...variant, row: first + place }));
    first += rows.length;
    const sent = rows.filter(({ isSent }) => isSent || !asked.isBySender);
    if (sent.length === 0 || (asked.isH100 && gpu !== 'h100-sxm')) continue;
    if (status !== 'accepted' && !asked.include.includes(status)) leaveOut(status);
    else if (asked.isRecomputed && trust !== 'recomputed') leaveOut('below_trust');
    else {
      const whole = sent.filter(
        ({ decode, ttft }) => decode !== undefined && (asked.ttftMax === null || ttft !== undefined),
      );
      if (whole.length === 0) leaveOut('missing_metric');
      else complete.push(whole);
    }
  }
  const chosen = rankBy.family.definitions.find(({ id }) => complete.flat().some(({ formula }) => formula === id));
  const isChosen = (id: string) =>
    chosen === undefined || rankBy.family.definitions.some((other) => other.id === id && other.group === chosen.group);
  const candidates: number[] = [];
  for (const rows of complete) {
    const taken = rows.find(({ formula }) => isChosen(formula));
    if (taken === undefined) leaveOut('other_definition');
    else if (asked.ttftMax === null || (taken.ttft ?? 0) <= asked.ttftMax) candidates.push(taken.row);
  }
  return { excluded, candidates, group: chosen?.group ?? null };
}

const anyAsked: fc.Arbitrary<Asked> = fc.record({
  include: fc.constantFrom<Filters['include'][]>([], ['quarantined'], ['retracted']),
  isRecomputed: fc.boolean(),
  isH100: fc.boolean(),
  ttftMax: fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
  isBySender: fc.boolean(),
});

test('a census is that of looking at point after point', () => {
  // More rows than a word of a set holds.
  fc.assert(
    fc.property(fc.array(anyPoint, { maxLength: 60 }), anyAsked, (points, asked) => {
      const filters: Filters = {
        ...noFilters,
        include: asked.include,
        ...(asked.isRecomputed ? { trust: ['recomputed'] } : {}),
        ...(asked.isH100 ? { gpu: [{ by: 'id', id: 'h100-sxm' }] } : {}),
        bounds: asked.ttftMax === null ? [] : [{ metric: 'ttft_ms_mean', side: 'max', value: asked.ttftMax }],
      };
      const marks = Uint8Array.from(
        points.flatMap(({ variants }) => variants),
        ({ isSent }) => Number(isSent),
      );
      const question = { rankBy, filters, sent: asked.isBySender ? marks : null };
      const { chosen, excluded, candidates } = takeCensus(tableOf(toRows(points)), question);
      const expected = countByHand(points, asked);
      expect(excluded).toEqual(expected.excluded);
      expect([...listRows(candidates)]).toEqual(expected.candidates);
      expect(chosen?.group ?? null).toEqual(expected.group);
    }),
    { numRuns: 300 },
  );
});
