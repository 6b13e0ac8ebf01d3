import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Filters, noFilters } from '../filters/filters.ts';
import { findMetric, type Metric, type MetricName } from '../metrics/index.ts';
import { assumedFactors, pooledCv } from '../statistics/pooled-cv.ts';
import { rankEntries } from '../statistics/ranks.ts';
import { confidenceInterval95 } from '../statistics/summary.ts';
import { type GivenRow, tableOf } from '../testing/point-table.ts';
import { type BoardPage, rankBoard } from './board.ts';

function metricOf(name: MetricName): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

interface Asked {
  rankBy?: MetricName;
  order?: 'asc' | 'desc';
  filters?: Partial<Filters>;
  page?: BoardPage;
  sent?: Uint8Array;
  definition?: string;
}

function rank(rows: readonly GivenRow[], asked: Asked = {}) {
  const { rankBy = 'output_tok_s', order = 'desc', filters, page, sent, definition = null } = asked;
  const question = {
    rankBy: metricOf(rankBy),
    order,
    filters: { ...noFilters, ...filters },
    subject: 'system',
    definition,
    sent: sent ?? null,
  } as const;
  const board = rankBoard(tableOf(rows), question, page ?? null);
  const entries = board.entries.map((entry) => ({ ...entry, system: rows[entry.row]?.system }));
  return { ...board, entries };
}

const tokS = (output_tok_s: number, ttft_ms_p99?: number) =>
  ttft_ms_p99 === undefined ? { output_tok_s } : { output_tok_s, ttft_ms_p99 };

describe('a board', () => {
  test('shows each system at its best point that meets the bounds', () => {
    const { entries, excluded } = rank(
      [
        { point: 1, system: 'a', values: tokS(900, 400) },
        { point: 2, system: 'a', values: tokS(500, 90) },
        { point: 3, system: 'b', values: tokS(600, 80) },
        { point: 4, system: 'c', values: tokS(700) },
      ],
      { filters: { bounds: [{ metric: 'ttft_ms_p99', side: 'max', value: 100 }] } },
    );
    expect(entries.map(({ system, value }) => [system, value])).toEqual([
      ['b', 600],
      ['a', 500],
    ]);
    // Missing the bound is not what was asked for; lacking the metric is told.
    expect(excluded).toEqual({ missing_metric: 1 });
  });

  test('tells the first reason that a point is left out for', () => {
    const values = tokS(1);
    const { entries, excluded } = rank(
      [
        { point: 1, system: 'a', values, status: 'quarantined', trust: 'self_reported' },
        { point: 2, system: 'b', values, status: 'retracted' },
        { point: 3, system: 'c', values, trust: 'recomputed' },
        { point: 4, system: 'd', values },
        { point: 5, system: 'e', values: {}, trust: 'recomputed' },
      ],
      { filters: { trust: ['recomputed'] } },
    );
    expect(entries.map(({ system }) => system)).toEqual(['c']);
    expect(excluded).toEqual({ quarantined: 1, retracted: 1, below_trust: 1, missing_metric: 1 });
  });

  test('ranks one group of formulas, and each point by its preferred one of those', () => {
    const decode = (point: number, variant: number, definition: string, decode_tok_s: number): GivenRow => ({
      point,
      variant,
      system: `s${point}`,
      values: { decode_tok_s },
      definitions: { decode_tok_s: definition },
    });
    const { entries, excluded, definition } = rank(
      [
        decode(1, 0, 'client', 10),
        decode(1, 1, 'in_process', 99),
        decode(2, 0, 'in_process', 50),
        decode(3, 0, 'client', 20),
      ],
      { rankBy: 'decode_tok_s' },
    );
    expect(definition).toEqual({
      id: 'client',
      because: 'most_systems',
      systems: 2,
      others: [{ id: 'in_process', systems: 2 }],
    });
    expect(entries.map(({ system, value }) => [system, value])).toEqual([
      ['s3', 20],
      ['s1', 10],
    ]);
    expect(excluded).toEqual({ other_definition: 1 });
  });

  test('assumes of a single measurement what the repeated points of its tool scatter', () => {
    const { entries } = rank([
      { point: 1, system: 'repeated', values: tokS(100), n: 3, sd: 1 },
      { point: 2, system: 'single', values: tokS(200) },
      { point: 3, system: 'other tool', values: tokS(300), tools: ['other'] },
      { point: 4, system: 'two tools', values: tokS(400), tools: ['native', 'other'] },
    ]);
    const pooled = pooledCv([{ n: 3, cv: 0.01 }]);
    const [low, high] = pooled === null ? [] : assumedFactors(pooled);
    const told = new Map(entries.map(({ system, assumed, interval }) => [system, [assumed?.pooled ?? null, interval]]));
    expect(told.get('repeated')).toEqual([null, confidenceInterval95(100, 1, 3)]);
    expect(told.get('single')).toEqual([pooled, [200 * (low ?? 0), 200 * (high ?? 0)]]);
    expect(told.get('other tool')).toEqual([null, [300, 300]]);
    expect(told.get('two tools')?.[0]).toEqual(pooled);
  });

  test('leaves out rows that were not sent as asked', () => {
    const rows = [1, 2, 3].map((point): GivenRow => ({ point, system: `s${point}`, values: tokS(point) }));
    const { entries, excluded } = rank(rows, { sent: Uint8Array.of(1, 0, 1) });
    expect(entries.map(({ system }) => system)).toEqual(['s3', 's1']);
    expect(excluded).toEqual({});
  });
});

describe('what stands on a board', () => {
  test('is of one workload: that of the most systems, or the one that is asked for', () => {
    const at = (point: number, system: string, scenario: string, mode: GivenRow['mode'], value: number): GivenRow => ({
      point,
      system,
      scenario,
      ...(mode && { mode }),
      values: tokS(value),
    });
    const rows = [
      at(1, 'a', 'chatbot', 'concurrency', 10),
      at(2, 'b', 'chatbot', 'rate', 20),
      at(3, 'a', 'chatbot', 'burst', 9000),
      at(4, 'c', 'rag', 'batch', 8000),
      at(5, 'c', 'rag', 'batch', 7000),
    ];
    const { entries, workload } = rank(rows);
    expect(entries.map(({ system, value }) => [system, value])).toEqual([
      ['b', 20],
      ['a', 10],
    ]);
    expect(workload).toEqual({
      id: 'chatbot-steady',
      because: 'most_systems',
      systems: 2,
      others: [
        { id: 'chatbot-burst', systems: 1 },
        { id: 'rag-offline', systems: 1 },
      ],
    });
    const idOf = (filters: Partial<Filters>) => {
      const { workload: chosen } = rank(rows, { filters });
      return [chosen?.id, chosen?.because];
    };
    expect(idOf({ workload: ['chatbot-burst'] })).toEqual(['chatbot-burst', 'asked']);
    expect(idOf({ workload: ['chatbot'] })).toEqual(['chatbot-steady', 'most_systems']);
    expect(idOf({ workload: ['rag'] })).toEqual(['rag-offline', 'most_systems']);
    expect(idOf({ regime: ['burst'] })).toEqual(['chatbot-burst', 'most_systems']);
    expect(rank(rows, { filters: { workload: ['rag-burst'] } })).toMatchObject({ workload: null, entries: [] });
  });

  test('names its facts', () => {
    const values = tokS(1);
    const rows: GivenRow[] = [
      { point: 1, system: 'whole', values },
      { point: 2, system: 'model', values, model: 'unspecified', gpu: 'unspecified' },
      { point: 3, system: 'gpu', values, gpu: 'unspecified' },
      { point: 4, system: 'quantization', values, quantization: 'unspecified' },
    ];
    const { entries, excluded } = rank(rows);
    expect(entries.map(({ system }) => system)).toEqual(['whole']);
    expect(excluded).toEqual({ unspecified_model: 1, unspecified_gpu: 1, unspecified_quantization: 1 });
  });

  test('has a rank only if it counts', () => {
    const rows: GivenRow[] = [
      { point: 1, system: 'a', values: tokS(10) },
      { point: 2, system: 'a', values: tokS(99), level: 2, status: 'provisional' },
      { point: 3, system: 'b', values: tokS(50), status: 'provisional' },
      { point: 4, system: 'c', values: tokS(5) },
      { point: 5, system: 'd', values: tokS(7), status: 'simulated' },
      { point: 6, system: 'd', values: tokS(7), status: 'not_repetitions' },
    ];
    expect(rank(rows).excluded).toEqual({ provisional: 2, simulated: 1, not_repetitions: 1 });
    const asked = { filters: { include: ['provisional' as const] } };
    const shown = (entries: ReturnType<typeof rank>['entries']) =>
      entries.map(({ system, value, rank: place, spread }) => [system, value, place, spread]);
    const whole = shown(rank(rows, asked).entries);
    expect(whole).toEqual([
      ['a', 10, 1, [1, 1]],
      ['c', 5, 2, [2, 2]],
      ['a', 99, null, null],
      ['b', 50, null, null],
    ]);
    const paged: unknown[] = [];
    for (let after: BoardPage['after'] = null, more = true; more; ) {
      const { entries, hasMore } = rank(rows, { ...asked, page: { limit: 1, after } });
      paged.push(...shown(entries));
      [after, more] = [entries.at(-1)?.place ?? null, hasMore];
    }
    expect(paged).toEqual(whole);
  });

  test('follows its equals where it is disputed', () => {
    const rows: GivenRow[] = [
      { point: 1, system: 'disputed', values: tokS(100), n: 3, sd: 1, isDisputed: true },
      { point: 2, system: 'near', values: tokS(99), n: 3, sd: 1 },
      { point: 3, system: 'equal', values: tokS(100), n: 3, sd: 1 },
      { point: 4, system: 'far', values: tokS(50), n: 3, sd: 1 },
      { point: 5, system: 'best', values: tokS(200), n: 3, sd: 1 },
    ];
    const { entries } = rank(rows);
    expect(
      entries.map(({ system, rank: place, spread, place: { isDisputed } }) => [system, place, spread, isDisputed]),
    ).toEqual([
      ['best', 1, [1, 1], false],
      ['equal', 2, [2, 4], false],
      ['near', 2, [2, 4], false],
      ['disputed', 4, [2, 4], true],
      ['far', 5, [5, 5], false],
    ]);
  });

  test('is of the formulas that are asked for, or of those that most systems have', () => {
    const decode = (point: number, definition: string): GivenRow => ({
      point,
      system: `s${point}`,
      values: { decode_tok_s: point },
      definitions: { decode_tok_s: definition },
    });
    const rows = [decode(1, 'client'), decode(2, 'in_process'), decode(3, 'in_process')];
    const told = (asked: Asked) => {
      const { entries, definition, excluded } = rank(rows, { rankBy: 'decode_tok_s', ...asked });
      return [entries.map(({ system }) => system), definition?.id, definition?.because, excluded];
    };
    expect(told({})).toEqual([['s3', 's2'], 'in_process', 'most_systems', { other_definition: 1 }]);
    expect(told({ definition: 'client' })).toEqual([['s1'], 'client', 'asked', { other_definition: 2 }]);
    expect(() => told({ definition: 'nothing' })).toThrow('No formula of');
  });

  test('meets the bounds in a row of its own, whatever other rows of the point say', () => {
    const rows: GivenRow[] = [
      { point: 1, system: 'a', values: { output_tok_s: 9, itl_ms_mean: 25 } },
      { point: 1, system: 'a', variant: 1, values: { output_tok_s: 8, itl_ms_mean: 15 } },
    ];
    const filters = { bounds: [{ metric: 'itl_ms_mean' as const, side: 'max' as const, value: 20 }] };
    expect(rank(rows, { filters }).entries.map(({ value }) => value)).toEqual([8]);
  });
});

const anyRows = fc
  .array(
    fc.record({
      system: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      // Close together, and far apart.
      value: fc.oneof(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: -10, max: 40 }).map((power) => 2 ** power),
      ),
      half: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
      // Of a single measurement the interval is assumed, of one without a number of values nothing.
      isSingle: fc.boolean(),
    }),
    { maxLength: 25 },
  )
  .map((rows) =>
    rows.map(
      ({ system, value, half, isSingle }, place): GivenRow => ({
        point: place + 1,
        system,
        values: tokS(value),
        ...(half === undefined ? { n: isSingle ? 1 : null } : { n: 2, sd: half / 9 }),
      }),
    ),
  );

test('the pages of a board are the board, ranked as all its entries together', () => {
  fc.assert(
    fc.property(anyRows, fc.constantFrom('asc', 'desc'), fc.integer({ min: 1, max: 9 }), (rows, order, limit) => {
      const { entries } = rank(rows, { order });
      // By hand: the best of each system, the first of equals, by value and then system.
      const sign = order === 'desc' ? -1 : 1;
      const signed = (row: GivenRow) => sign * (row.values.output_tok_s ?? 0);
      const best = [...Map.groupBy(rows, ({ system }) => system).values()]
        .flatMap((of) => of.toSorted((a, b) => signed(a) - signed(b)).slice(0, 1))
        .sort((a, b) => signed(a) - signed(b) || (a.system < b.system ? -1 : 1));
      expect(entries.map(({ row }) => rows[row]?.point)).toEqual(best.map(({ point }) => point));
      const ranks = rankEntries(
        entries.map(({ interval: [low, high] }) => ({ low, high })),
        order === 'desc' ? 'higher' : 'lower',
      );
      expect(entries.map(({ spread }) => spread)).toEqual(ranks.map(({ spread }) => spread));
      expect(entries.map(({ rank: first }) => first)).toEqual(ranks.map(({ spread }) => spread[0]));

      const paged: unknown[] = [];
      for (let after: BoardPage['after'] = null; ; ) {
        const page = rank(rows, { order, page: { limit, after } });
        paged.push(...page.entries);
        const last = page.entries.at(-1);
        if (!page.hasMore || last === undefined) break;
        after = last.place;
      }
      expect(paged).toEqual(entries);
    }),
  );
});
