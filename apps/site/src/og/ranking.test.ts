import { expect, test } from 'vitest';
import { readPng } from '../../../../tests/support/site/png.ts';
import { intervalBar } from '../charts/interval-bar.ts';
import { drawRanking, type RankedBar } from './ranking.ts';

const row = (rank: number, value: number, interval: readonly [number, number] | null = null): RankedBar => ({
  rank: String(rank),
  name: 'Llama 3.1 8B fp8',
  detail: 'H100 · vLLM · chatbot · 8 users',
  value: String(value),
  bar: intervalBar(value, interval, 100),
  isLead: rank === 1,
});
const draw = (rows: readonly RankedBar[]) =>
  readPng(drawRanking('Leaderboard', 'Output throughput, tok/s', rows, 'Inferboard, bench.example.com, 2026-11-25'));
const [leadBar, bar] = [
  [233, 180, 143],
  [188, 211, 230],
] as const;

test('the bars are proportional to the values, and the first place has its own colour', () => {
  const png = draw([row(1, 100), row(2, 50), row(3, 25)]);
  expect([png.width, png.height]).toEqual([1200, 630]);
  expect(png.count(leadBar) / png.count(bar)).toBeCloseTo(100 / 75, 1);
});

test('an interval is drawn over its bar', () => {
  const ink = [27, 26, 23] as const;
  expect(draw([row(1, 80, [60, 100])]).count(ink)).toBeGreaterThan(draw([row(1, 80)]).count(ink) + 800);
});

test('an image has at most seven rows', () => {
  const rows = Array.from({ length: 9 }, (_, at) => row(at + 2, 100));
  expect(draw(rows).count(bar)).toBe(draw(rows.slice(0, 7)).count(bar));
});
