import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatPercent,
  formatPlural,
  formatRatio,
  formatSd,
  formatTime,
  formatValue,
} from './format.ts';

describe('a value in a table', () => {
  test('has the digits supported by its interval, and a unit if it differs from the heading', () => {
    expect(formatValue(198.0612, 'tok/s', { ci95: [197.737, 198.383], sd: 0.13 })).toBe('198.06');
    expect(formatValue(27_784.97251, 'tok/s')).toBe('27,780');
    expect(formatValue(18_742.3, 'ms')).toBe('18.74 s');
    expect(formatSd(198.06, 'tok/s', { ci95: [197.737, 198.383], sd: 0.13 })).toBe('± 0.13');
    expect(formatInterval(198.06, 'tok/s', [197.737, 198.383])).toBe('197.74 to 198.38');
    expect(formatInterval(198.06, 'tok/s', [190, 201], { ci95: [197.737, 198.383] })).toBe('190.00 to 201.00');
  });

  // A missing value must not become "0".
  test('is empty if it is missing', () => {
    expect(formatValue(null, 'ms')).toBeNull();
    expect(formatSd(198.06, 'tok/s', { sd: null })).toBeNull();
    expect(formatInterval(198.06, 'tok/s', null)).toBeNull();
  });
});

test('a ratio has the precision of its interval', () => {
  expect(formatRatio(1.45123, [1.44, 1.462])).toEqual({ text: '1.451×', interval: '1.440 to 1.462' });
  expect(formatRatio(1.45123, null)).toEqual({ text: '1.451×', interval: null });
  expect(formatRatio(null, null)).toEqual({ text: null, interval: null });
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

test('formats counts, bytes, times and plurals', () => {
  expect(formatCount(10_000)).toBe('10,000');
  expect(formatBytes(1)).toBe('1 byte');
  expect(formatBytes(45_775)).toBe('44.7 KiB');
  expect(formatBytes(16 * 1024 * 1024)).toBe('16.0 MiB');
  expect(formatTime('2026-11-21T12:00:00.000Z')).toBe('21 Nov 2026, 12:00 UTC');
  expect(formatPlural(1, 'result')).toBe('1 result');
  expect(formatPlural(147, 'result')).toBe('147 results');
});
