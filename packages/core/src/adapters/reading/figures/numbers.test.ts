import { expect, test } from 'vitest';
import { hasDecimalComma, parseNumber } from './numbers.ts';

test('reads commas only between thousands', () => {
  expect(['1,234.50', '12,345', '0,123', '32,42', '6.582,87'].map(parseNumber)).toEqual([
    1234.5,
    12345,
    null,
    null,
    null,
  ]);
});

test('recognises a decimal comma', () => {
  expect(['0,123', '32,42', '6.582,87', '30,85s', '1,234.50', '12', 'a,b'].map(hasDecimalComma)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
