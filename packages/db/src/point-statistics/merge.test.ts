import type { ResultStatus } from '@inferboard/core/subjects/result';
import { describe, expect, test } from 'vitest';
import { readClaim, toStatisticsRows } from './claim-rows.ts';
import { type ClaimSummary, newestGroups, newestMost, summariseClaim } from './claim-summary.ts';
import type { Contribution } from './contribution.ts';
import { mergeClaims } from './merge.ts';
import { type PackedRow, unpackRow } from './packed.ts';

let ids = 0;
function result(values: Record<string, number>, over: Partial<Contribution> = {}): Contribution {
  ids += 1;
  return {
    id: `res_${String(ids).padStart(6, '0')}`,
    pointId: 7,
    account: 'acc_1',
    status: 'accepted' as ResultStatus,
    tool: 'native',
    ownTrust: 'self_reported',
    definitions: {},
    derived: [],
    repeats: null,
    values: [values],
    ...over,
  };
}
const none = { findings: 0, warnings: 0 };
const repeated = (n: number | null, sd: number) => ({ n, sd: { output_tok_s: sd }, samples: null });
const rowsOf = (results: Contribution[]) =>
  (toStatisticsRows(summariseClaim(results, none)) as unknown as PackedRow[]).map(unpackRow);

describe('the rows of a claim', () => {
  test('list each metric by its preferred formula first, in any order of arrival', () => {
    const rows = rowsOf([
      result({ decode_tok_s: 900 }, { definitions: { decode_tok_s: 'in_process' } }),
      result({ decode_tok_s: 10 }),
      result({ decode_tok_s: 100, ttft_ms_mean: 50 }, { definitions: { decode_tok_s: 'client', ttft_ms: 'b' } }),
      result({ decode_tok_s: 110, ttft_ms_mean: 60 }, { definitions: { decode_tok_s: 'client', ttft_ms: 'a' } }),
      result({ output_tok_s: 1 }, { definitions: { decode_tok_s: 'client' } }),
    ]);
    expect(rows.map((row) => row.definitions)).toEqual([
      { decode_tok_s: 'client', ttft_ms: 'a' },
      { decode_tok_s: 'in_process', ttft_ms: 'b' },
      {},
    ]);
    expect(rows.map((row) => row.statistics.decode_tok_s?.n)).toEqual([2, 1, 1]);
    expect(rows.map((row) => row.statistics.output_tok_s?.n)).toEqual([1, undefined, undefined]);
    expect(rows.map((row) => row.results)).toEqual([5, 5, 5]);
  });

  test('consist of one row without values', () => {
    expect(rowsOf([result({})])).toMatchObject([{ variant: 0, results: 1, definitions: {}, statistics: {} }]);
  });

  test('list as derived a metric that was derived for any result', () => {
    const rows = rowsOf([result({ user_tok_s: 5 }), result({ user_tok_s: 6 }, { derived: ['user_tok_s'] })]);
    expect(rows.map((row) => row.derived)).toEqual([['user_tok_s']]);
  });

  test('can be parsed to the same claim', () => {
    const claim = summariseClaim(
      [
        result({ decode_tok_s: 900 }, { definitions: { decode_tok_s: 'in_process' } }),
        result({ decode_tok_s: 100 }, { definitions: { decode_tok_s: 'client' }, ownTrust: 'managed' }),
        result({ output_tok_s: 100, ttft_ms_mean: 9, ttft_ms_p50: 8 }, { derived: ['ttft_ms_p50'] }),
      ],
      { findings: 3, warnings: 1 },
    );
    const rows = toStatisticsRows(claim);
    expect(toStatisticsRows(readClaim(rows as never))).toEqual(rows);
  });

  test.each<[string, Contribution[]]>([
    ['one value', [result({ output_tok_s: 5 })]],
    ['equal values', [result({ output_tok_s: 5 }), result({ output_tok_s: 5 })]],
    ['an outlier', [100, 101, 99, 100.5, 87].map((output_tok_s) => result({ output_tok_s }))],
    ['a mean of 0', [result({ output_tok_s: 0 }), result({ output_tok_s: 0 })]],
    ['a summary', [result({ output_tok_s: 5 }, { repeats: repeated(3, 1) })]],
    ['a summary of one repetition', [result({ output_tok_s: 5 }, { repeats: repeated(1, 0) })]],
    ['a summary of unknown n', [result({ output_tok_s: 5 }, { repeats: repeated(null, 1) })]],
    ['samples', [result({ output_tok_s: 5 }, { repeats: { n: 2, sd: null, samples: { output_tok_s: [4, 6] } } })]],
    ['one sample', [result({ output_tok_s: 5 }, { repeats: { n: 1, sd: null, samples: { output_tok_s: [5] } } })]],
  ])('restore the statistics of %s in full', (_, results) => {
    const expected = summariseClaim(results, none).groups[0]?.figures.get('output_tok_s')?.statistics;
    // The state after a JSON round trip.
    const [row] = JSON.parse(JSON.stringify(toStatisticsRows(summariseClaim(results, none))));
    expect(unpackRow(row as PackedRow).statistics.output_tok_s).toEqual(expected);
  });

  test('have the median and outliers of the newest results', () => {
    const results = Array.from({ length: newestMost }, (_, i) => result({ output_tok_s: 100 + (i % 5) }));
    const outlier = result({ output_tok_s: 9000 });
    const of = (given: Contribution[]) => rowsOf(given)[0]?.statistics.output_tok_s;
    const found = { median: 102, outliers: [{ result_id: outlier.id }] };
    expect(of([outlier, ...results.slice(1)])).toMatchObject(found);
    expect(of([...results, outlier])).toMatchObject({ ...found, n: newestMost + 1, max: 9000 });
    expect(of([outlier, ...results])).toMatchObject({
      n: newestMost + 1,
      median: 102,
      outliers: [],
      min: 100,
      max: 9000,
    });
  });
});

describe('a claim with added results', () => {
  const merged = (stored: Contribution[], added: Contribution[]) =>
    mergeClaims(
      readClaim(toStatisticsRows(summariseClaim(stored, { findings: 2, warnings: 1 })) as never),
      summariseClaim(added, { findings: 3, warnings: 0 }),
      [],
    );
  function expectSame(stored: Contribution[], added: Contribution[]): void {
    const actual = merged(stored, added);
    const expected = summariseClaim([...stored, ...added], none);
    expect(actual?.results).toBe(stored.length + added.length);
    for (const group of expected.groups) {
      const other = actual?.groups.find(
        ({ base, definition }) => base === group.base && definition === group.definition,
      );
      expect([...(other?.figures.keys() ?? [])]).toEqual([...group.figures.keys()]);
      for (const [metric, { statistics }] of group.figures) {
        const { mean, sd, ci95, cv, ...exact } = { ...statistics, median: null, outliers: [] };
        const found = other?.figures.get(metric)?.statistics;
        expect(found).toMatchObject(exact);
        expect((found?.mean ?? 0) / mean).toBeCloseTo(1, 12);
        if (sd === null || sd === 0) expect(found?.sd ?? 0).toBeCloseTo(0, 9);
        else expect((found?.sd ?? 0) / sd).toBeCloseTo(1, 9);
        expect(found?.ci95?.length).toBe(ci95?.length);
        if (cv !== null && cv !== 0) expect((found?.cv ?? 0) / cv).toBeCloseTo(1, 9);
      }
    }
  }

  const single = (value: number) => result({ output_tok_s: value });
  const pooled = (value: number, n: number | null, sd: number) =>
    result({ output_tok_s: value }, { repeats: repeated(n, sd) });
  const sampled = (...values: number[]) =>
    result({ output_tok_s: values[0] ?? 0 }, { repeats: { n: null, sd: null, samples: { output_tok_s: values } } });

  test.each<[string, Contribution[], Contribution[]]>([
    ['single values and one more', [single(100), single(110), single(90)], [single(105)]],
    ['one value and one more', [single(100)], [single(110)]],
    ['equal values', [single(0.1), single(0.1)], [single(0.1)]],
    ['values of very different size', [single(1e-9), single(1e12)], [single(1e-3), single(1e11)]],
    ['values whose squares overflow', [single(1e300), single(3e300)], [single(2e300)]],
    ['single values and a summary of unknown n', [single(1), single(2)], [pooled(3, null, 0.5)]],
    ['single values and a mixture', [single(1), single(2)], [pooled(3, null, 0.5), single(4)]],
    ['summaries', [pooled(10, 5, 1), pooled(11, 3, 2)], [pooled(12, 4, 0.5)]],
    ['summaries and single values', [pooled(10, 5, 1), pooled(11, 3, 2)], [single(12), single(13)]],
    ['samples', [sampled(1, 2, 3), sampled(4)], [sampled(5, 6)]],
    ['samples and single values', [sampled(1, 2, 3)], [single(4)]],
    ['samples and summaries', [sampled(1, 2, 3)], [pooled(4, 5, 1)]],
  ])('%s: equals a summary of all at once', (_, stored, added) => expectSame(stored, added));

  test.each<[string, Contribution[], Contribution[]]>([
    ['single values without n, and one with n', [single(1), single(2)], [pooled(3, 5, 1)]],
    ['a summary with n and one without', [pooled(1, 5, 1)], [pooled(3, null, 1)]],
    ['a single summary of unknown n', [pooled(1, null, 1)], [single(3)]],
  ])('%s: must be read again', (_, stored, added) => expect(merged(stored, added)).toBeNull());

  test('keeps formulas and metrics separate', () => {
    const client = { definitions: { decode_tok_s: 'client' } };
    const inside = { definitions: { decode_tok_s: 'in_process' } };
    expectSame(
      [result({ decode_tok_s: 1 }, inside), result({ decode_tok_s: 2 }, inside)],
      [result({ decode_tok_s: 3 }, client), result({ decode_tok_s: 4, req_s: 9 }, inside)],
    );
  });

  test('has the median and outliers of the newest results, without pooled values', () => {
    const newest = [single(100), single(101), single(99), single(100), single(500)];
    const [last] = newest.slice(-1);
    const claims = ([stored, added]: Contribution[][]) =>
      [stored, added].map((of = []) => summariseClaim(of, none)) as [ClaimSummary, ClaimSummary];
    const of = (...given: Contribution[][]) =>
      mergeClaims(...claims(given), newestGroups(newest))?.groups[0]?.figures.get('output_tok_s')?.statistics;
    const found = of([single(1), ...newest.slice(0, 4)], newest.slice(4));
    expect(found).toMatchObject({
      n: 6,
      min: 1,
      max: 500,
      median: 100,
      outliers: [{ value: 500, result_id: last?.id }],
    });
    expect(of([pooled(10, 5, 1)], newest)).toMatchObject({ basis: 'pooled', median: null, outliers: [] });
  });

  test('adds findings and runs', () => {
    expect(merged([single(1)], [single(2)])).toMatchObject({
      findings: 5,
      warnings: 1,
      runs: 2,
    });
  });

  test('equals a summary of all at once if results are added one by one', () => {
    const values = Array.from({ length: 3000 }, (_, i) => 100 + Math.sin(i) * 10);
    let claim = summariseClaim([single(values[0] ?? 0)], none);
    for (const value of values.slice(1)) claim = mergeClaims(claim, summariseClaim([single(value)], none), []) ?? claim;
    const all = summariseClaim(values.map(single), none).groups[0]?.figures.get('output_tok_s')?.statistics;
    const found = claim.groups[0]?.figures.get('output_tok_s')?.statistics;
    expect(found).toMatchObject({ n: 3000, min: all?.min, max: all?.max });
    expect(found?.mean).toBeCloseTo(all?.mean ?? 0, 10);
    expect(found?.sd).toBeCloseTo(all?.sd ?? 0, 10);
  });
});
