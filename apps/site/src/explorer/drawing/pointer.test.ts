import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chosenAxis } from '../../charts/axis.ts';
import { movedDomain, partOf, valueAt } from './pointer.ts';

const label = String;
const figure = fc.double({ min: 0.5, max: 5000, noNaN: true });

test.each(['linear', 'log'] as const)('a position on a %s axis has the value that the server drew there', (scale) => {
  fc.assert(
    fc.property(fc.array(figure, { minLength: 2 }), fc.nat(), (values, pick) => {
      const range = [60, 660] as const;
      const axis = chosenAxis(values, range, label, { scale, part: null });
      const value = values[pick % values.length] ?? 0;
      const direction = { domain: axis.domain, isLog: axis.isLog, range };
      const [low, high] = axis.domain;
      // Positions are rounded to a tenth of a unit.
      const step = axis.isLog ? value * (high / low) ** (0.1 / 600) - value : ((high - low) * 0.1) / 600;
      expect(Math.abs(valueAt(direction, axis.at(value)) - value)).toBeLessThanOrEqual(Math.abs(step) + 1e-9 * value);
    }),
  );
});

test('halves a domain around its middle, and shifts it', () => {
  const direction = { domain: [0, 100], isLog: false, range: [400, 0] } as const;
  expect(movedDomain(direction, { factor: 0.5 })).toEqual([25, 75]);
  expect(movedDomain(direction, { by: 0.25 })).toEqual([25, 125]);
  expect(partOf(direction, 100, 300)).toEqual([25, 75]);
});
