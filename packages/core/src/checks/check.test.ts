import { expect, test } from 'vitest';
import { figure, roundingOf, unchecked } from './check.ts';

test.each([
  [191.82, 0.005],
  [0.27, 0.005],
  [4.5, 0.05],
  [0.125, 0.0005],
  [120, 0.5],
  [0, 0.5],
  [-12.5, 0.05],
])('roundingOf(%d) is at most %d', (value, half) => {
  expect(roundingOf(value)).toBeCloseTo(half, 12);
});

test('roundingOf returns a millionth for exponent notation', () => {
  expect(roundingOf(1e21)).toBeCloseTo(1e15, 0);
  expect(roundingOf(-2.5e-7)).toBeCloseTo(2.5e-13, 20);
});

test.each([
  [7703.7037, '7704'],
  [999.94, '999.9'],
  [999.96, '1000'],
  [118.51851, '118.5'],
  [0.00123456, '0.001235'],
  [28, '28'],
  [0, '0'],
])('prints %d as %s', (value, text) => {
  expect(figure(value)).toBe(text);
});

test('unchecked() names the missing metrics', () => {
  expect(unchecked('Request rate equals requests over duration', ['requests_ok', 'duration_s'])).toEqual([
    {
      severity: 'unchecked',
      message: 'Request rate equals requests over duration: not checked, requests_ok and duration_s not given.',
      evidence: { missing: ['requests_ok', 'duration_s'] },
    },
  ]);
});
