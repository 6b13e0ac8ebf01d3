import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Filters, noFilters } from '../filters/filters.ts';
import { findMetric, type Metric, type MetricName } from '../metrics/index.ts';
import { type GivenRow, tableOf } from '../testing/point-table.ts';
import { regimeOf } from '../workloads/regime.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
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
  status: fc.constantFrom('accepted', 'accepted', 'accepted', 'quarantined', 'retracted', 'provisional'),
  trust: fc.constantFrom('self_reported', 'recomputed'),
  gpu: fc.constantFrom('h100-sxm', 'l40s', 'unspecified'),
  model: fc.constantFrom('llama', 'llama', 'unspecified'),
  quantization: fc.constantFrom('fp8', 'fp8', 'unspecified'),
  scenario: fc.constantFrom('chatbot', 'rag'),
  mode: fc.constantFrom('concurrency', 'burst'),
  variants: fc.array(
    fc.record({ decode: value, ttft: value, formula: fc.constantFrom(...formulas), isSent: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  ),
});

type Point = typeof anyPoint extends fc.Arbitrary<infer T> ? T : never;

const systemOf = ({ model, gpu, quantization }: Point, place: number) => `${model} ${gpu} ${quantization} ${place % 3}`;
const workloadOf = ({ scenario, mode }: Point) => `${scenario}-${regimeOf({ mode: mode as 'burst' })}`;

const toRows = (points: readonly Point[]): GivenRow[] =>
  points.flatMap(({ variants, ...point }, place) =>
    variants.map(({ decode, ttft, formula }, variant) => ({
      ...(point as Omit<GivenRow, 'point' | 'system' | 'values'>),
      point: place + 1,
      variant,
      system: systemOf({ variants, ...point }, place),
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
  isOneAccount: boolean;
  subject: 'system' | 'quantization' | 'engine';
  workload: 'chatbot' | 'chatbot-steady' | 'rag' | null;
  definition: 'in_process' | null;
}

/** Those with the most systems first, then in the order given. */
function byMostSystems(of: Map<string, Set<string>>, order: readonly string[]): string[] {
  return order
    .filter((id) => of.has(id))
    .sort((a, b) => (of.get(b)?.size ?? 0) - (of.get(a)?.size ?? 0) || order.indexOf(a) - order.indexOf(b));
}

function collect(pairs: readonly (readonly [string, string])[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [key, one] of pairs) found.set(key, (found.get(key) ?? new Set()).add(one));
  return found;
}

const isOneOf = (id: string, wanted: string) => id === wanted || id.startsWith(`${wanted}-`);

/** Point by point, the first reason that holds. */
function countByHand(points: readonly Point[], asked: Asked) {
  let next = 0;
  const all = points.map((point, place) => {
    const rows = point.variants.map((variant) => ({ ...variant, row: next++ }));
    return { point, system: systemOf(point, place), workload: workloadOf(point), rows };
  });
  const ttftMax = asked.ttftMax ?? Number.POSITIVE_INFINITY;
  const looked = all
    .map((one) => ({ ...one, rows: one.rows.filter(({ isSent }) => isSent || !asked.isBySender) }))
    .filter(({ rows, point }) => rows.length > 0 && (!asked.isH100 || point.gpu === 'h100-sxm'))
    .map((one) => {
      const { status, trust, model, gpu, quantization } = one.point;
      const isApart = asked.isOneAccount && asked.subject !== 'system';
      const complete = one.rows.filter(
        ({ decode, ttft }) => decode !== undefined && (asked.ttftMax === null || ttft !== undefined),
      );
      const met = complete.filter(({ ttft }) => (ttft ?? 0) <= ttftMax);
      const reason =
        status !== 'accepted' && !asked.include.includes(status as 'quarantined')
          ? status
          : asked.isRecomputed && trust !== 'recomputed'
            ? 'below_trust'
            : model === 'unspecified' && !isApart
              ? 'unspecified_model'
              : gpu === 'unspecified' && !isApart
                ? 'unspecified_gpu'
                : quantization === 'unspecified' && !(isApart && asked.subject === 'engine')
                  ? 'unspecified_quantization'
                  : complete.length === 0
                    ? 'missing_metric'
                    : null;
      return { ...one, reason, met: reason === null ? met : [] };
    });
  const isWanted = ({ formula }: { formula: string }) => asked.definition === null || formula === asked.definition;
  const workloads = collect(
    looked.flatMap(({ workload, system, met }) => (met.some(isWanted) ? [[workload, system]] : [])),
  );
  const isAllowed = (id: string) => asked.workload === null || isOneOf(id, asked.workload);
  const [workload = null] = byMostSystems(workloads, [...workloads.keys()].filter(isAllowed).sort());
  const here = looked.filter((one) => (workload === null ? isAllowed(one.workload) : one.workload === workload));
  const formulasOf = (isCounted: (one: { formula: string }) => boolean) =>
    collect(here.flatMap(({ system, met }) => met.filter(isCounted).map(({ formula }) => [formula, system] as const)));
  const recorded = ['client', 'in_process'];
  const [most = null] = byMostSystems(formulasOf(isWanted), recorded);
  const group = asked.definition ?? most;

  const excluded: Record<string, number> = {};
  const candidates: number[] = [];
  for (const { reason, met } of here) {
    const taken = met.find(({ formula }) => group === null || formula === group);
    const why = reason ?? (met.length > 0 && taken === undefined ? 'other_definition' : null);
    if (why !== null) excluded[why] = (excluded[why] ?? 0) + 1;
    else if (taken !== undefined) candidates.push(taken.row);
  }
  const others = byMostSystems(workloads, [...workloads.keys()].sort()).filter((id) => id !== workload);
  return {
    excluded,
    candidates,
    group,
    workload,
    others: workload === null ? null : others.map((id) => ({ id, systems: workloads.get(id)?.size })),
  };
}

const anyAsked: fc.Arbitrary<Asked> = fc.record({
  include: fc.constantFrom<Filters['include'][]>([], ['quarantined'], ['retracted'], ['provisional']),
  isRecomputed: fc.boolean(),
  isH100: fc.boolean(),
  ttftMax: fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
  isBySender: fc.boolean(),
  isOneAccount: fc.boolean(),
  subject: fc.constantFrom('system', 'quantization', 'engine'),
  workload: fc.constantFrom('chatbot', 'chatbot-steady', 'rag', null, null),
  definition: fc.constantFrom('in_process', null, null),
});

function toQuestion(asked: Asked, marks: Uint8Array): CensusQuestion {
  return {
    kind: 'serving',
    metrics: [rankBy],
    dimensions: [asked.subject],
    definition: asked.definition,
    sent: asked.isBySender ? marks : null,
    filters: {
      ...noFilters,
      include: asked.include,
      ...(asked.isRecomputed ? { trust: ['recomputed'] } : {}),
      ...(asked.isH100 ? { gpu: [{ by: 'id', id: 'h100-sxm' }] } : {}),
      ...(asked.isOneAccount ? { account: ['one'] } : {}),
      ...(asked.workload === null ? {} : { workload: [asked.workload] }),
      bounds: asked.ttftMax === null ? [] : [{ metric: 'ttft_ms_mean', side: 'max', value: asked.ttftMax }],
    },
  };
}

test('a census is that of looking at point after point', () => {
  // More rows than a word of a set holds.
  fc.assert(
    fc.property(fc.array(anyPoint, { maxLength: 60 }), anyAsked, (points, asked) => {
      const marks = Uint8Array.from(
        points.flatMap(({ variants }) => variants),
        ({ isSent }) => Number(isSent),
      );
      const { chosen, workload, excluded, candidates } = takeCensus(tableOf(toRows(points)), toQuestion(asked, marks));
      const expected = countByHand(points, asked);
      expect(excluded).toEqual(expected.excluded);
      expect([...listRows({ set: candidates, limits: [] })]).toEqual(expected.candidates);
      expect(chosen[0]?.group ?? null).toEqual(expected.group);
      expect([workload?.id ?? null, workload?.others ?? null]).toEqual([expected.workload, expected.others]);
    }),
    { numRuns: 400 },
  );
});
