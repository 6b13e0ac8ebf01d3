import { describe, expect, test } from 'vitest';
import type { PointStatisticsRow } from '../boards/lists/row-types.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';
import { floodPoint } from '../testing/flood-point.ts';
import { type Measurement, resultsOf, useUploads } from '../testing/uploads.ts';
import { listResultsBySubmission } from './result-list.ts';

const { database, insert, statisticsRows, refreshAll } = useUploads();

describe('the statistics of a point', () => {
  test('include the results of each submission', async () => {
    for (const output_tok_s of [101.2, 99.8, 100.4]) await insert(resultsOf([{ metrics: { output_tok_s } }]));
    const [row, ...more] = await statisticsRows();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ status: 'accepted', results: 3, trust: 'self_reported', load_level: 8 });
    const statistics = row?.statistics.output_tok_s;
    expect(statistics).toMatchObject({ n: 3, results: 3, median: 100.4, min: 99.8, max: 101.2, basis: 'results' });
    expect(statistics?.mean).toBeCloseTo(100.467, 3);
    expect(statistics?.sd).toBeCloseTo(0.7024, 4);
    expect(statistics?.cv).toBeCloseTo(0.00699, 5);
    expect(statistics?.ci95?.[0]).toBeCloseTo(98.722, 2);
    expect(statistics?.ci95?.[1]).toBeCloseTo(102.212, 2);
    expect(row?.output_tok_s).toBe(statistics?.mean);
    expect(row?.ttft_ms_mean).toBeNull();
    expect(row?.statistics).not.toHaveProperty('ttft_ms_mean');
  });

  test('list outliers with their results', async () => {
    const values = [100, 101, 99, 100.5, 87];
    const { id } = await insert(resultsOf(values.map((output_tok_s) => ({ metrics: { output_tok_s } }))));
    const results = await listResultsBySubmission(database().db, id);
    const [row] = await statisticsRows();
    expect(row?.statistics.output_tok_s?.outliers).toMatchObject([{ value: 87, index: 4, result_id: results[4]?.id }]);
  });

  test('are separated by load', async () => {
    await insert(resultsOf([{ level: 1 }, { level: 2 }, { level: 2 }]));
    expect((await statisticsRows()).map((row) => [row.load_level, row.results])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  // A quarantined value must not affect the mean of accepted ones.
  test('are separated by status', async () => {
    const [honest] = resultsOf([{ metrics: { output_tok_s: 100 } }]);
    const [doubted] = resultsOf([{ metrics: { output_tok_s: 9000 } }]);
    if (honest === undefined || doubted === undefined) throw new Error('no result');
    await insert([honest, { ...doubted, status: 'quarantined' }, honest]);
    await insert([{ ...doubted, status: 'retracted' }]);
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['accepted', 2, 100],
      ['quarantined', 1, 9000],
      ['retracted', 1, 9000],
    ]);
  });

  test('are separated by formula, for any order of definitions', async () => {
    const metrics = { itl_ms_mean: 10, ttft_ms_mean: 50 };
    const token = { itl_ms: 'per_token', ttft_ms: 'send_to_first_token' };
    const reversed = { ttft_ms: 'send_to_first_token', itl_ms: 'per_token' };
    await insert(
      resultsOf([
        { metrics, definitions: token },
        { metrics, definitions: reversed },
        { metrics, definitions: { itl_ms: 'per_chunk', ttft_ms: 'send_to_first_token' } },
      ]),
    );
    expect((await statisticsRows()).map((row) => [row.definitions.itl_ms, row.results])).toEqual([
      ['per_token', 3],
      ['per_chunk', 3],
    ]);
  });

  // Three runs count as three, regardless of their other metrics.
  test('include all results with the value, regardless of their other values', async () => {
    await insert(
      resultsOf([
        { metrics: { output_tok_s: 100 } },
        { metrics: { output_tok_s: 110, ttft_ms_mean: 50 } },
        { metrics: { output_tok_s: 105, tpot_ms_mean: 70 } },
      ]),
    );
    const [row, ...more] = await statisticsRows();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ variant: 0, results: 3, output_tok_s: 105, ttft_ms_mean: 50, tpot_ms_mean: 70 });
    expect(row?.statistics.output_tok_s).toMatchObject({ n: 3, mean: 105, sd: 5 });
    expect(row?.statistics.ttft_ms_mean).toMatchObject({ n: 1, sd: null });
    expect(row?.definitions).toMatchObject({ ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token' });
  });

  test('have the preferred formula first, even if it was stored last', async () => {
    const decode = (decode_tok_s: number, id: string) =>
      resultsOf([{ metrics: { decode_tok_s }, definitions: { decode_tok_s: id } }]);
    await insert(decode(900, 'in_process'));
    await insert(decode(902, 'in_process'));
    await insert(decode(100, 'client'));
    const rows = await statisticsRows();
    expect(rows.map((row) => [row.variant, row.definitions.decode_tok_s, row.decode_tok_s, row.results])).toEqual([
      [0, 'client', 100, 3],
      [1, 'in_process', 901, 3],
    ]);
    expect(rows.map((row) => row.statistics.decode_tok_s?.n)).toEqual([1, 2]);
  });

  const random = (seed: number) => {
    let state = seed;
    return (most: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
  };

  // For new and known points, and for both in one upload.
  test.each([1, 2, 3])('equal those of all stored results, after uploads in any order (seed %d)', async (seed) => {
    const pick = random(seed);
    const upload = () =>
      Array.from({ length: 1 + pick(6) }, () => {
        const hasDecode = pick(4) > 0;
        const hasOutput = pick(2) > 0;
        const repeats = [undefined, { n: 3, sd: { output_tok_s: 2 } }, { sd: { output_tok_s: 1 } }][pick(5)];
        const [result] = resultsOf([
          {
            level: 1 + pick(4),
            metrics: {
              ...(hasDecode ? { decode_tok_s: 100 + pick(50) } : { req_s: 1 + pick(9) }),
              ...(hasOutput ? { output_tok_s: 90 + pick(20) } : {}),
            },
            definitions: hasDecode ? { decode_tok_s: ['client', 'in_process'][pick(2)] ?? '' } : {},
            ...(hasOutput && repeats !== undefined ? { repeats } : {}),
          },
        ]);
        if (result === undefined) throw new Error('no result');
        return { ...result, status: (['accepted', 'quarantined'] as const)[pick(5) === 0 ? 1 : 0] };
      });
    for (let round = 0; round < 12; round++) await insert(upload());
    const kept = (rows: PointStatisticsRow[]) => rows.map(({ updated_at: _, ...row }) => row);
    const before = await statisticsRows();
    await refreshAll();
    expect(kept(await statisticsRows())).toEqual(kept(before));
    expect(new Set(before.map((row) => row.variant)).size).toBeGreaterThan(1);
  });

  describe('of a point with many results', () => {
    const many = () =>
      resultsOf(Array.from({ length: 1500 }, (_, i) => ({ metrics: { output_tok_s: 100 + (i % 7) } })));

    test('are updated without reading stored results', async () => {
      await insert(many());
      expect((await statisticsRows())[0]?.statistics.output_tok_s).toMatchObject({ n: 1500, median: 103 });
      await insert(resultsOf([{ metrics: { output_tok_s: 300, ttft_ms_mean: 5 } }]));
      const [row, ...more] = await statisticsRows();
      expect(more).toEqual([]);
      expect(row).toMatchObject({ results: 1501, variant: 0, ttft_ms_mean: 5 });
      const order = { median: 103, outliers: [{ value: 300 }] };
      expect(row?.statistics.output_tok_s).toMatchObject({ n: 1501, min: 100, max: 300, ...order });
      await refreshAll();
      const [again] = await statisticsRows();
      const [one, two] = [row?.statistics.output_tok_s, again?.statistics.output_tok_s];
      expect(two).toMatchObject({ n: 1501, ...order });
      expect(one?.mean).toBeCloseTo(two?.mean ?? 0, 9);
      expect(one?.sd).toBeCloseTo(two?.sd ?? 0, 9);
    });

    test('are read again if the number of repetitions of some results is unknown', async () => {
      const repeats = { n: 5, sd: { output_tok_s: 2 } };
      await insert(resultsOf(Array.from({ length: 1001 }, () => ({ repeats }))));
      expect((await statisticsRows())[0]?.statistics.output_tok_s).toMatchObject({ n: 5005, basis: 'pooled' });
      await insert(resultsOf([{ repeats: { sd: { output_tok_s: 2 } } }]));
      expect((await statisticsRows())[0]?.statistics.output_tok_s).toMatchObject({ n: 1002, basis: 'results' });
    });

    test('include all results of simultaneous uploads', async () => {
      await insert(many());
      await Promise.all(
        Array.from({ length: 12 }, (_, i) => insert(resultsOf([{ metrics: { output_tok_s: 100 + i } }]))),
      );
      expect(await statisticsRows()).toMatchObject([{ results: 1512, statistics: { output_tok_s: { n: 1512 } } }]);
    });
  });

  describe('of a point with tens of thousands of results', () => {
    /** Stores a point with these results, the second one 45 000 times more. */
    async function flood(...measurements: Measurement[]): Promise<void> {
      const { id } = await insert(resultsOf(measurements));
      const results = await listResultsBySubmission(database().db, id);
      await floodPoint(database().sql, { id: results.at(-1)?.id ?? '', count: 45_000, status: 'accepted' });
      await refreshAll();
    }

    test('are read in parts, with each result as one value, even if its tool averaged', async () => {
      const repeats = { n: 5, sd: { output_tok_s: 2 } };
      await flood({ repeats }, {});
      const of45k = { basis: 'results', min: 100, max: 106, median: 103 };
      expect(await statisticsRows()).toMatchObject([
        { results: 45_002, statistics: { output_tok_s: { n: 45_002, results: 45_002, ...of45k } } },
      ]);
      await insert(resultsOf([{ repeats }]));
      const [row, ...more] = await statisticsRows();
      expect(more).toEqual([]);
      expect(row).toMatchObject({ results: 45_003, statistics: { output_tok_s: { n: 45_003, ...of45k } } });
      // Added to the base of 100: i mod 7 for i from 1 to 45 000, and 0 for the other three results.
      const sum = Array.from({ length: 45_000 }, (_, i) => (i + 1) % 7).reduce((a, b) => a + b, 0);
      expect(row?.output_tok_s).toBeCloseTo(100 + sum / 45_003, 9);
    });

    test('are updated if only a summary had the metric', async () => {
      const summary = (ttft_ms_mean: number): Measurement => ({
        metrics: { output_tok_s: 100, ttft_ms_mean },
        repeats: { sd: { ttft_ms_mean: 1 } },
      });
      await flood(summary(50), {});
      await insert(resultsOf([summary(60)]));
      expect(await statisticsRows()).toMatchObject([
        { results: 45_003, statistics: { ttft_ms_mean: { n: 2, mean: 55, basis: 'results' } } },
      ]);
    });
  });

  test('include repetitions that a tool averaged', async () => {
    const metrics = { output_tok_s: 100 };
    await insert(resultsOf([{ level: 1, metrics, repeats: { n: 5, sd: { output_tok_s: 2 } } }]));
    await insert(resultsOf([{ level: 2, metrics, repeats: { sd: { output_tok_s: 2 } } }]));
    await insert(
      resultsOf([{ level: 4, metrics: { output_tok_s: 2 }, repeats: { samples: { output_tok_s: [1, 2, 3] } } }]),
    );
    const rows = await statisticsRows();
    expect(rows.map((row) => row.statistics.output_tok_s)).toMatchObject([
      { n: 5, sd: 2, basis: 'pooled' },
      { n: null, sd: 2, ci95: null, basis: 'tool_summary' },
      { n: 3, sd: 1, median: 2, basis: 'samples' },
    ]);
  });

  test('count the findings of all results, but not unchecked ones', async () => {
    const doubted = { metrics: { req_s: 9.5, requests_ok: 100, duration_s: 20.5 } };
    await insert(resultsOf([doubted, doubted]));
    expect((await statisticsRows()).map((row) => row.findings)).toEqual([2]);
  });

  test('change with the status of a result, and are removed with the last one', async () => {
    await insert(resultsOf([{ metrics: { output_tok_s: 100 } }, { metrics: { output_tok_s: 120 } }]));
    await refreshAll("update results set status = 'retracted' where output_tok_s = 120");
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['accepted', 1, 100],
      ['retracted', 1, 120],
    ]);
    await refreshAll("update results set status = 'retracted'");
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['retracted', 2, 110],
    ]);
    await refreshAll('with anchors as (delete from result_anchors) delete from results');
    expect(await statisticsRows()).toEqual([]);
  });

  test('of no points are accepted', async () => {
    await database().db.transaction((tx) => refreshPointStatistics(tx, []));
    expect(await statisticsRows()).toEqual([]);
  });
});

// Readers reject such values. If one is stored anyway, its sums must not become null.
test('keeps the mean of values close to the maximum of a double', async () => {
  await insert(resultsOf([{}, {}]).map((result) => ({ ...result, metrics: { output_tok_s: 1.5e308 } })));
  const [row] = await statisticsRows();
  expect(row?.statistics.output_tok_s?.mean).toBe(1.5e308);
  expect(row?.output_tok_s).toBe(1.5e308);
});
