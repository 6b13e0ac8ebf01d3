import fc from 'fast-check';
import { expect, test } from 'vitest';
import { regimeOf, regimes } from './regime.ts';
import { formatWorkload, parseWorkload } from './workload-id.ts';

test('a formatted workload is parsed to the same workload', () => {
  const shape = fc.constantFrom('chatbot', 'pp512', 'pp512+tg128@d4096', '200-60', 'sharegpt', '1k-1k');
  fc.assert(
    fc.property(shape, fc.option(fc.constantFrom(...regimes)), (one, regime) => {
      expect(parseWorkload(formatWorkload({ shape: one, regime }))).toEqual({ shape: one, regime });
    }),
  );
});

test('a regime alone is parsed as a shape', () => {
  expect(parseWorkload('steady')).toEqual({ shape: 'steady', regime: null });
});

test('closed and open loops are steady; a batch is offline', () => {
  expect((['concurrency', 'rate', 'burst', 'batch', 'unspecified'] as const).map((mode) => regimeOf({ mode }))).toEqual(
    ['steady', 'steady', 'burst', 'offline', 'unspecified'],
  );
});
