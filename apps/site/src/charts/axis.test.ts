import { describe, expect, test } from 'vitest';
import { formatTick } from '../lib/format.ts';
import { levelAxis, ratioAxis, spreadAxis, stepAxis, valueAxis } from './axis.ts';

describe('valueAxis', () => {
  // Zero is a valid measurement that a logarithmic axis cannot show.
  test('a zero keeps the axis linear, and starts it', () => {
    const axis = valueAxis([0, 10, 9000], [100, 0], formatTick);
    expect(axis.isLog).toBe(false);
    expect(axis.at(0)).toBe(100);
    expect(valueAxis([0, 0], [100, 0], formatTick).at(0)).toBe(100);
  });

  test('values that span decades are placed by ratio', () => {
    const axis = valueAxis([100, 9000], [100, 0], formatTick);
    expect(axis.isLog).toBe(true);
    expect(axis.at(100) - axis.at(1000)).toBeCloseTo((axis.at(100) - axis.at(9000)) / Math.log10(90), 0);
  });
});

describe('spreadAxis', () => {
  test('is logarithmic if values span a factor of twenty, with matching ticks', () => {
    const axis = spreadAxis([1, 1000], [0, 300], formatTick);
    expect(axis.isLog).toBe(true);
    expect(axis.ticks.map(({ label }) => label)).toEqual(['1', '10', '100', '1,000']);
    expect(spreadAxis([100, 120], [0, 300], formatTick).isLog).toBe(false);
  });

  test('places values by their size, including zeros and negative values', () => {
    const axis = spreadAxis([-5, 0, 5], [0, 100], formatTick);
    expect(axis.at(-5)).toBeLessThan(axis.at(0));
    expect(axis.at(0)).toBeLessThan(axis.at(5));
    expect(Number.isFinite(spreadAxis([0], [0, 100], formatTick).at(0))).toBe(true);
  });

  // A label "0" at a tick of 0.001 would be wrong.
  test('small ticks keep their digits', () => {
    const labels = spreadAxis([0.001, 0.004], [0, 300], formatTick).ticks.map(({ label }) => label);
    expect(labels).toContain('0.003');
    expect(new Set(labels).size).toBe(labels.length);
  });
});

describe('settings on an axis', () => {
  test('omit labels if they are crowded, but keep their positions', () => {
    const axis = stepAxis([200, 250, 255, 260, 600], [0, 400], formatTick);
    expect(axis.ticks.map(({ label }) => label)).toEqual(['200', '250', '600']);
    expect(axis.at(255)).toBeGreaterThan(axis.at(250));
  });

  test('have equal distances for doubled loads, and a single one is in the middle', () => {
    const axis = levelAxis([1, 2, 4], [0, 100], formatTick);
    expect([1, 2, 4].map(axis.at)).toEqual([0, 50, 100]);
    expect(levelAxis([8], [0, 100], formatTick).at(8)).toBe(50);
  });
});

test('2 and 0.5 have the same distance from 1', () => {
  const axis = ratioAxis([0.5, 2], [0, 300]);
  expect(axis.at(2) - axis.at(1)).toBeCloseTo(axis.at(1) - axis.at(0.5), 0);
  expect(axis.ticks.map(({ label }) => label)).toContain('1×');
});

test('clamps values outside the axis to its ends', () => {
  expect(valueAxis([10], [100, 0], formatTick).at(-5)).toBe(100);
  expect(ratioAxis([0.5, 2], [0, 300]).at(1000)).toBe(300);
});
