import { describe, expect, test } from 'vitest';
import { inDatabase } from '../artifacts/artifact-store.ts';
import { observeStatements } from '../connection/observe-statements.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { insertSubmission, insertTogether } from './submission-insert.ts';

const { database, submissionOf, insert, rowCounts, statisticsRows } = useUploads();

const statements: string[] = [];
observeStatements(
  () =>
    ({ statement }) =>
      statements.push(statement),
);

test('uploads that are stored together need as many statements as one', async () => {
  const inputs = Array.from({ length: 8 }, (_, at) =>
    submissionOf(resultsOf([{ level: 1 + at, metrics: { output_tok_s: 100 + at } }])),
  );
  const count = async (from: number, to: number) => {
    statements.length = 0;
    const uploads = inputs.slice(from, to).map((input) => ({ input, callbacks: {} }));
    await insertTogether(database().db, uploads, inDatabase);
    return statements.length;
  };
  // Creates the boards.
  await count(0, 1);
  const one = await count(1, 2);
  expect(await count(2, 8)).toBe(one);
  expect(one).toBeLessThanOrEqual(12);
});

describe('simultaneously', () => {
  const shuffled = <T>(values: T[], seed: number): T[] =>
    values
      .map((value, index) => [((index + 1) * 7919 * (seed + 1)) % 101, value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);

  // Deadlocks would fail uploads at random; a lost result would leave a point's statistics wrong permanently.
  test.each([1, 2, 3])('twenty uploads to the same new points are all stored and counted (round %d)', async (round) => {
    const gpus = ['h100-sxm', 'rtx-4090', 'l4', 'a30'];
    const levels = [1, 2, 4, 8, 16];
    const uploads = Array.from({ length: 20 }, (_, upload) => {
      const systems = shuffled(gpus, upload + round);
      return systems.flatMap((gpu) =>
        resultsOf(
          shuffled(levels, upload * round).map((level) => ({ level, metrics: { output_tok_s: 100 + upload } })),
          { gpu },
        ),
      );
    });
    const outcomes = await Promise.allSettled(uploads.map((results) => insert(results)));
    expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toEqual([]);
    expect(await rowCounts()).toMatchObject({ submissions: 20, systems: 4, scenarios: 1, points: 20, results: 400 });
    const rows = await statisticsRows();
    expect(rows).toHaveLength(20);
    for (const row of rows) {
      expect(row.results).toBe(20);
      expect(row.statistics.output_tok_s?.n).toBe(20);
      expect(row.output_tok_s).toBeCloseTo(109.5, 9);
    }
  });

  test('ten identical uploads are one submission, and all receive its id', async () => {
    const input = submissionOf(resultsOf([{}, { level: 16 }]));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => insertSubmission(database().db, input)));
    expect(new Set(outcomes.map((outcome) => outcome.id)).size).toBe(1);
    expect(outcomes.filter((outcome) => !outcome.duplicate)).toHaveLength(1);
    expect(await rowCounts()).toMatchObject({ submissions: 1, results: 2 });
  });

  test('a failed upload does not affect an identical valid one', async () => {
    const input = submissionOf(resultsOf([{}]));
    const spoilt = {
      ...input,
      results: input.results.map((result) => ({ ...result, status: 'nonsense' as 'accepted' })),
    };
    const outcomes = await Promise.allSettled([
      insertSubmission(database().db, spoilt),
      insertSubmission(database().db, input),
      insertSubmission(database().db, spoilt),
    ]);
    // The valid upload succeeds whether it is first or its predecessors have failed.
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled', value: { duplicate: false } });
    expect(await rowCounts()).toMatchObject({ submissions: 1, results: 1 });
  });
});
