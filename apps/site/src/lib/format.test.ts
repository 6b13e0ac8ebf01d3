import { describe, expect, test } from 'vitest';
import {
  formatBrief,
  formatBytes,
  formatCount,
  formatInterval,
  formatPercent,
  formatPlural,
  formatSd,
  formatTime,
  formatValue,
} from './format.ts';

describe('formatValue', () => {
  // A reader compares the page with the tool's own output digit by digit.
  test.each([
    [198.06, 'tok/s', 0.13, '198.06'],
    [136.47, 'tok/s', 0.05, '136.47'],
    [278.95, 'tok/s', 0.23, '278.95'],
    [278.9, 'tok/s', null, '278.90'],
    [2898.23, 'tok/s', null, '2,898.23'],
    [4249.88, 'tok/s', 1170.7, '4,249.88'],
    [16634.04, 'tok/s', 97.98, '16,634.04'],
    [2.68, 'tok/s', 0, '2.68'],
    [211, 'ms', null, '211'],
    [211, 'ms', 3.2, '211.00'],
    [5.8, 'ms', null, '5.8'],
    [279, 'tok/s', 0.06, '279.00'],
    [0.94910001, 'tok/J', null, '0.9491'],
    [6.6376, 'ms', null, '6.6376'],
    [7.244801854669275, 'ms', null, '7.2448'],
    [7.244801854669275, 'ms', 0.31, '7.245'],
    [14.164305949, 'ms', null, '14.1643'],
    [34.3567, 'ms', null, '34.3567'],
    [331.3, 'TFLOP/s', null, '331.30'],
    [0.5, 'req/s', null, '0.5000'],
    [0.00123, 's', null, '0.00123'],
    [1_234_567, 'tok', null, '1,234,567'],
    [600, 'W', null, '600'],
    [157.5, 'W', null, '157.50'],
    [0, 'ms', null, '0'],
    [-407.68, 'tok/s', 1, '−407.68'],
    [-0.0001, '', null, '0.00'],
  ])('shows %d %s with sd %s as %s', (value, unit, sd, text) => {
    expect(formatValue(value, unit, sd)).toBe(text);
  });

  // A missing value that became "0" would be a lie.
  test('passes missing values through', () => {
    expect(formatValue(null, 'ms')).toBeNull();
    expect(formatValue(undefined, 'ms')).toBeNull();
    expect(formatValue(Number.NaN, 'ms')).toBeNull();
  });
});

test('formatBrief keeps four significant digits and no idle zeros', () => {
  expect(formatBrief(3.583715596, 'ms')).toBe('3.584');
  expect(formatBrief(211, 'ms')).toBe('211');
  expect(formatBrief(279.04, 'tok/s')).toBe('279.04');
  expect(formatBrief(null, 'ms')).toBeNull();
});

describe('formatSd', () => {
  test('has the decimals of its value, and never reads as none', () => {
    expect(formatSd(198.06, 'tok/s', 0.13)).toBe('± 0.13');
    expect(formatSd(4249.88, 'tok/s', 1170.7)).toBe('± 1,170.70');
    expect(formatSd(198.06, 'tok/s', 0.003)).toBe('± 0.003');
    expect(formatSd(2.68, 'tok/s', 0)).toBe('± 0.00');
  });

  test('passes missing values through', () => {
    expect(formatSd(198.06, 'tok/s', null)).toBeNull();
  });
});

test('formatInterval is as fine as the scatter', () => {
  expect(formatInterval(198.06, 'tok/s', [197.737, 198.383], 0.13)).toBe('197.74 to 198.38');
  expect(formatInterval(198.06, 'tok/s', null)).toBeNull();
});

test.each([
  [0.1546, '15 %'],
  [0.0007, '0.070 %'],
  [0.2754, '28 %'],
  [0, '0 %'],
  [1.5, '150 %'],
])('formatPercent(%d) is %s', (fraction, text) => {
  expect(formatPercent(fraction)).toBe(text);
});

test('formatPercent passes missing values through', () => {
  expect(formatPercent(null)).toBeNull();
});

test('counts, bytes, times and plurals read as people write them', () => {
  expect(formatCount(10_000)).toBe('10,000');
  expect(formatBytes(1)).toBe('1 byte');
  expect(formatBytes(45_775)).toBe('44.7 KiB');
  expect(formatBytes(16 * 1024 * 1024)).toBe('16.0 MiB');
  expect(formatTime('2026-11-21T12:00:00.000Z')).toBe('21 Nov 2026, 12:00 UTC');
  expect(formatPlural(1, 'result')).toBe('1 result');
  expect(formatPlural(147, 'result')).toBe('147 results');
});
