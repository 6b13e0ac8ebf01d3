import { expect, test } from 'vitest';
import { placeLabels } from './labels.ts';

const plot = { left: 64, right: 626, top: 34, bottom: 344 };
const fan = ['A', 'B', 'C', 'D', 'E'].map((name, at) => ({
  name,
  places: [
    { x: 100, y: 60 + at },
    { x: 300, y: 300 + at },
  ],
}));

test('labels do not overlap', () => {
  const labels = placeLabels(fan, plot).filter((label) => label !== null);
  expect(labels).toHaveLength(5);
  // One-letter labels, some to the left and some to the right of their point.
  const leftOf = ({ x, anchor }: (typeof labels)[number]) => (anchor === 'start' ? x : x - 6);
  for (const [at, one] of labels.entries())
    for (const other of labels.slice(at + 1))
      expect(Math.abs(one.y - other.y) >= 12 || Math.abs(leftOf(one) - leftOf(other)) >= 6).toBe(true);
});

test('a label is next to the last point of its curve that no other curve passes', () => {
  const short = {
    name: 'short',
    places: [
      { x: 100, y: 100 },
      { x: 200, y: 200 },
    ],
  };
  const passing = [185, 215].map((x) => ({
    name: null,
    places: [
      { x, y: 134 },
      { x, y: 344 },
    ],
  }));
  expect(placeLabels([short], plot)).toEqual([{ x: 209, y: 204, anchor: 'start', markAt: null }]);
  expect(placeLabels([short, ...passing], plot)[0]).toMatchObject({ x: 109, y: 104 });
});

test('a label above or below its point has its own mark', () => {
  const flat = {
    name: 'flat',
    places: [
      { x: 70, y: 200 },
      { x: 620, y: 200 },
    ],
  };
  expect(placeLabels([flat], plot)).toEqual([{ x: 598, y: 192, anchor: 'end', markAt: { x: 606, y: 188 } }]);
});

test('a label stays inside the plot', () => {
  const edge = { name: 'at the right edge', places: [{ x: 626, y: 40 }] };
  expect(placeLabels([edge], plot)[0]?.anchor).toBe('end');
  expect(placeLabels([{ name: 'a name longer than the plot is wide '.repeat(4), places: edge.places }], plot)).toEqual([
    null,
  ]);
});
