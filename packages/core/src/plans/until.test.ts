import { describe, expect, test } from 'vitest';
import { expandPlan } from './expand.ts';
import { readPlan } from './read-plan.ts';
import {
  judgeRepetitions,
  nextRepetition,
  type Repetition,
  type RepetitionFigures,
  readUntil,
  relativeWidth,
} from './until.ts';

describe('repetitions', () => {
  test('are parsed with a maximum', () => {
    expect(readUntil('ci=2%')).toEqual({ ci: 0.02, max: 10 });
    expect(readUntil('ci=0.5%,max=20')).toEqual({ ci: 0.005, max: 20 });
    for (const text of ['2%', 'ci=2', 'ci=0%', 'ci=2%,max=2', 'ci=2%,min=3'])
      expect(() => readUntil(text)).toThrow(/Write ci=2%/);
  });

  test('have the relative width of the t interval', () => {
    // t(0.975, 2) = 4.302653, sd = 1, mean = 11.
    expect(relativeWidth([10, 11, 12])).toBeCloseTo(4.302653 / Math.sqrt(3) / 11, 6);
    expect(relativeWidth([10])).toBeNull();
    expect(relativeWidth([5, 5, 5])).toBe(0);
    expect(relativeWidth([0, 0, 0])).toBeNull();
  });
});

const list = [1, 2].map((level) => ({
  scenario: { input_tokens: 64, output_tokens: 16 },
  ...{ load: { mode: 'concurrency', level }, requests: 40, warmup: 0 },
}));
const expand = (more: Record<string, unknown> = {}) =>
  expandPlan({ ...readPlan({ plan: list, until: 'ci=2%,max=5', ...more }), seed: 1 });
const figures = (rate: number | null): RepetitionFigures => ({
  ...{ 'output tok/s': rate, 'req/s': null, 'mean TTFT': 20, 'mean TPOT': 5 },
});

/** Repeats the points until none is left; `figuresOf` gives the figures of a repetition of the item at a place. */
function repeat(figuresOf: (place: number, repetition: number) => RepetitionFigures | null, ci = 0.02): Repetition[] {
  const { points } = expand();
  const measured: Repetition[] = [];
  for (;;) {
    const point = nextRepetition(points, measured, { ci, max: 5 });
    if (point === null) return measured;
    measured.push({
      point,
      figures: figuresOf(
        points.findIndex(({ load }) => load === point.load),
        point.repetition,
      ),
    });
  }
}

describe('a plan with until', () => {
  test('has its first round, and totals of the maximum', () => {
    const { points, totals, atMost, omitted } = expand();
    expect(points.map(({ key, requests }) => [key.slice(-2), requests])).toEqual([
      ['/1', 40],
      ['/1', 40],
    ]);
    expect(totals).toMatchObject({ points: 10, requests: 400 });
    expect(atMost).toEqual({ points: 10, requests: 400 });
    expect(omitted).toEqual([]);
  });

  test('fits its maximum into the limits', () => {
    const { points, atMost } = expand({ limits: { requests: 100, duration_s: 50 } });
    expect(points.map(({ requests, durationMaxS }) => [requests, durationMaxS])).toEqual([
      [10, 5],
      [10, 5],
    ]);
    expect(atMost).toEqual({ points: 10, requests: 100 });
    const { omitted } = expand({ limits: { concurrency: 1 } });
    expect(omitted).toMatchObject([{ key: expect.stringMatching(/concurrency:2\/1$/), reason: 'above_concurrency' }]);
  });

  test('repeats in rounds, only points that are not stable', () => {
    const measured = repeat((place, repetition) => figures(place === 0 ? 100 : 100 + 10 * repetition));
    expect(measured.map(({ point }) => `${point.load.level}/${point.repetition}`)).toEqual([
      ...['1/1', '2/1', '1/2', '2/2', '1/3', '2/3'],
      ...['2/4', '2/5'],
    ]);
    expect(new Set(measured.map(({ point }) => point.key)).size).toBe(measured.length);
  });

  test('does not count repetitions without figures, unless all are', () => {
    const measured = repeat((place, repetition) => (place === 0 || repetition === 2 ? null : figures(100)));
    const counts = [1, 2].map((level) => measured.filter(({ point }) => point.load.level === level).length);
    expect(counts).toEqual([3, 4]);
    expect(judgeRepetitions(measured.slice(0, 1), { ci: 1 })).toEqual({
      repetitions: 1,
      widest: null,
      isStable: false,
    });
  });
});
