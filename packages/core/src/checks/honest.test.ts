import { describe, expect, test } from 'vitest';
import type { Result } from '../subjects/result.ts';
import { alone, type Subject, subjectsOf } from '../subjects/subject.ts';
import { type Lie, lies } from '../testing/false-claims.ts';
import { simulateBatch, simulateRun, simulateSweep } from '../testing/simulate.ts';
import { judge } from './index.ts';

/** Violations of honest results by check, with a seed that reproduces each. */
function accusations(subjects: readonly Subject[], seed: number): string[] {
  return subjects.flatMap((subject) =>
    judge(subject)
      .findings.filter(({ severity }) => severity === 'violation')
      .map(({ code, message }) => `seed ${seed}: ${code}: ${message}`),
  );
}

function accused(cases: number, of: (seed: number) => readonly Subject[]): string[] {
  const found: string[] = [];
  for (let seed = 1; seed <= cases && found.length < 10; seed++) found.push(...accusations(of(seed), seed));
  return found;
}

/** Of the seeds: `npm run test:fresh` judges all, other runs a tenth. */
const share = process.env.TEST_RUNS === undefined ? 0.1 : 1;

describe('honest results have no findings', () => {
  test(`in ${80_000 * share} runs simulated request by request`, () => {
    expect(accused(80_000 * share, (seed) => [alone(simulateRun(seed).result)])).toEqual([]);
  });

  test(`in ${10_000 * share} static batches`, () => {
    expect(accused(10_000 * share, (seed) => [alone(simulateBatch(seed))])).toEqual([]);
  });

  test(`in ${10_000 * share} sweeps over the number of users, some repeated`, () => {
    expect(accused(10_000 * share, (seed) => subjectsOf(simulateSweep(seed)))).toEqual([]);
  });
});

/** The findings of a result, without infos. */
const doubts = (result: Result) =>
  judge(alone(result))
    .findings.filter(({ severity }) => severity === 'violation' || severity === 'warning')
    .map(({ code }) => code);

/** Honest results that have the fields in which a falsification shows. */
function honestFor(lie: Lie, count: number): { seed: number; result: Result }[] {
  const found: { seed: number; result: Result }[] = [];
  for (let seed = 1; found.length < count && seed < 100 * count; seed++) {
    const { result } = simulateRun(seed, lie.where);
    if (lie.needs.every((name) => result.metrics[name] !== undefined)) found.push({ seed, result });
  }
  return found;
}

describe('finds a single false fact', () => {
  test('has twenty kinds', () => expect(new Set(lies.map(({ kind }) => kind)).size).toBe(20));

  // The checks must find at least 99 of 100, so all of 40. Lists each miss by kind with the seeds that reproduce it.
  test.each(lies)('$kind', (lie) => {
    const honest = honestFor(lie, 40);
    expect(honest).toHaveLength(40);
    const missed = honest.filter(({ result }) => {
      const before = new Set(doubts(result));
      return !doubts(lie.apply(result)).some((code) => !before.has(code));
    });
    expect(missed.map(({ seed }) => `${lie.kind}: missed with seed ${seed}`)).toEqual([]);
  });
});
