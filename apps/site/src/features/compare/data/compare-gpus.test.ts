import { expect, test } from 'vitest';
import { countsNote, pointsPerGpu, unlikeCounts } from './compare-gpus.ts';

type Given = Parameters<typeof pointsPerGpu>[0];

const comparison = (first: number | null, second: number | null) => {
  const compared = { ratio: 2, interval: [1.9, 2.1], significant: true, better: true, reason: null };
  const metric = (name: string) => ({
    metric: name,
    figures: [
      { value: 100, compared: null },
      { value: 200, compared },
    ],
  });
  return {
    systems: [{ gpu_count: first }, { gpu_count: second }],
    points: [{ metrics: [metric('output_tok_s'), metric('user_tok_s')] }],
  } as unknown as Given; // only the fields that the ratios depend on
};

test('ratios of totals are per GPU if the numbers of GPUs differ', () => {
  const [point] = pointsPerGpu(comparison(4, 16));
  const [total, user] = (point?.metrics ?? []).map(({ figures }) => figures[1]?.compared);
  // Twice the rate with four times the GPUs is half the rate of each GPU.
  expect(total).toEqual({ ratio: 0.5, interval: [0.475, 0.525], significant: true, better: false, reason: null });
  expect(user).toMatchObject({ ratio: 2, better: true });
});

test('ratios are unchanged for equal numbers of GPUs, and if a number is unknown', () => {
  for (const given of [comparison(8, 8), comparison(4, null)]) expect(pointsPerGpu(given)).toBe(given.points);
  expect(unlikeCounts([{ gpu_count: 4 }, { gpu_count: 16 }])).toEqual([4, 16]);
});

test('the note names the numbers of GPUs', () => {
  expect(countsNote(comparison(4, 16).systems)).toMatch(/^The systems have 4 and 16 GPUs\./);
  expect(countsNote(comparison(8, 8).systems)).toBeNull();
});
