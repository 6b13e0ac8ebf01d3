import { pointStatistics } from '@inferboard/core/statistics/point-statistics';
import { listResultsBySubmission } from '@inferboard/db/submissions/result-list';
import { beforeAll, describe, expect, it } from 'vitest';
import { codes, fast, impossible, type Line, report, type Submission, slow, useReviews } from '../testing/reviews.ts';

// The statistics after reviews, with copies and concurrent requests.

const { app, submit, post, review, board, expectStatisticsCurrent } = useReviews();

describe('the same bytes from two accounts', () => {
  const artifact = report('copy.1', { gpu: 'Frobnicator 10' }, [fast]);
  let first: Submission;
  let second: Submission;
  beforeAll(async () => {
    first = await submit(artifact);
    second = await submit(artifact, {}, await app.createAccount('copyist'));
  });

  it('count once while one after the other is mapped', async () => {
    expect(second.results[0]?.copy_of).toBe(first.results[0]?.id);
    await review(first.id, { decision: 'map', gpu: 'h100-sxm' });
    // The copy remains, still marked as a copy.
    const behind = await app.get<Submission>(`/v1/submissions/${second.id}`);
    expect(behind.results[0]).toMatchObject({ status: 'quarantined', copy_of: first.results[0]?.id });
    const { data: counted, excluded: held } = await board('copy.1');
    expect([counted.length, held.quarantined]).toEqual([1, undefined]);
    const mapped = await review(second.id, { decision: 'map', gpu: 'h100-sxm' });
    expect(mapped.results[0]).toMatchObject({ status: 'accepted', copy_of: first.results[0]?.id });
    expect(codes(mapped)?.filter((code) => code === 'copied_artifact')).toHaveLength(1);
    const { data, excluded } = await board('copy.1');
    expect(data).toMatchObject([{ statistics: { n: 1, runs: [{ result_id: first.results[0]?.id }] } }]);
    expect(excluded.quarantined).toBeUndefined();
    await expectStatisticsCurrent();
  });

  it('are counted by the accepted copy', async () => {
    const held = report('copy.2', {}, [impossible]);
    const original = await submit(held);
    const copy = await submit(held, {}, await app.createAccount('other-copyist'));
    const cleared = await review(copy.id, { decision: 'clear' });
    expect(cleared.results[0]?.copy_of).toBeNull();
    expect((await board('copy.2')).data).toMatchObject([{ statistics: { n: 1 } }]);
    await review(original.id, { decision: 'clear' });
    const { data } = await board('copy.2');
    expect(data).toMatchObject([{ statistics: { n: 1, runs: [{ result_id: original.results[0]?.id }] } }]);
    await expectStatisticsCurrent();
  });
});

describe('concurrent changes', () => {
  it('apply one of two reviews, and the other finds no held results', async () => {
    for (let round = 0; round < 5; round += 1) {
      const held = await submit(report(`race.${round}`, { gpu: 'Frobnicator 15' }, [fast, slow]));
      const answers = await Promise.all([
        post(held.id, { decision: 'map', gpu: 'h100-sxm', note: 'x' }),
        post(held.id, { decision: 'clear', note: 'y' }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await app.get<Submission>(`/v1/submissions/${held.id}`)).toMatchObject({
        reviews: [{}],
        status: 'accepted',
      });
    }
    await expectStatisticsCurrent();
  });

  it('of reviews and submissions at one point all count', async () => {
    const held = await Promise.all(
      [1, 2, 3, 4].map((of) =>
        submit(report('meet', { gpu: `Frobnicator ${of}` }, [{ metrics: { output_tok_s: 100 + of } }])),
      ),
    );
    await Promise.all([
      ...held.map(({ id }) => review(id, { decision: 'map', gpu: 'h100-sxm' })),
      ...[5, 6, 7, 8].map((of) => submit(report('meet', {}, [{ metrics: { output_tok_s: 100 + of } }]))),
    ]);
    const { data } = await board('meet');
    expect(data).toMatchObject([{ value: 104.5, statistics: { n: 8 } }]);
    await expectStatisticsCurrent();
  });
});

describe('rows that are not repetitions of each other', () => {
  it('stay unranked after their violation is cleared', async () => {
    const held = await submit(
      report('rows', {}, [impossible, { metrics: { output_tok_s: 150, ttft_ms_mean: 100 }, level: 2 }]),
    );
    expect(held.results.map(({ status }) => status)).toEqual(['quarantined', 'not_repetitions']);
    const cleared = await review(held.id, { decision: 'clear' });
    expect(cleared.results.map(({ status }) => status)).toEqual(['not_repetitions', 'not_repetitions']);
    expect(cleared.status).toBe('not_repetitions');
    expect((await board('rows')).data).toEqual([]);
    await expectStatisticsCurrent();
  });
});

describe('statistics after reviews', () => {
  it('match the results at the point', async () => {
    const lines = (from: number): Line[] =>
      Array.from({ length: 12 }, (_, at) => ({
        metrics: {
          output_tok_s: 100.37 + ((from + at * 37) % 23) + from / 100,
          ttft_ms_mean: 40.13 + at + from / 100,
          ttft_ms_p90: 60.71 + at,
          // An upper percentile below the lower one is implausible.
          ttft_ms_p99: at % 4 === 0 ? 55.29 : 80.43,
        },
        level: 1 + (at % 3),
      }));
    const held = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((of) => submit(report('many', of % 2 === 0 ? {} : { gpu: 'Frobnicator 16' }, lines(of)))),
    );
    for (const [at, { id }] of held.entries()) {
      if (at % 2 === 1) await review(id, { decision: 'map', gpu: 'h100-sxm' });
      if (at % 3 === 0) await review(id, { decision: 'clear' });
    }
    const results = (await Promise.all(held.map(({ id }) => listResultsBySubmission(app.deps.database.db, id)))).flat();
    for (const level of [1, 2, 3]) {
      const values = results
        .filter((result) => result.status === 'accepted' && result.load_level === level)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .flatMap(({ output_tok_s: value }) => (value == null ? [] : [{ value, repeats: null }]));
      const { n, mean, ci95 } = pointStatistics(values);
      expect(n).toBeGreaterThan(15);
      const { data, excluded } = await board('many', { load_level: String(level) });
      expect(data).toMatchObject([{ statistics: { n, mean, ci95 } }]);
      expect(excluded.quarantined).toBe(1);
    }
    await expectStatisticsCurrent();
  });
});
