import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makePng } from './png.ts';

test('has the given size, complete rows, and bytes that depend on the seed', () => {
  const side = fc.integer({ min: 1, max: 80 });
  fc.assert(
    fc.property(side, side, fc.nat(), (width, height, seed) => {
      const png = makePng(width, height, seed);
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
      // The signature and the header have 33 bytes. The length and the type of the data follow.
      const data = png.subarray(41, 41 + png.readUInt32BE(33));
      expect(inflateSync(data)).toHaveLength(height * (1 + 3 * width));
      expect(makePng(width, height, seed).equals(png)).toBe(true);
      expect(makePng(width, height, seed + 1).equals(png)).toBe(false);
    }),
    { numRuns: 40 },
  );
  expect(makePng(512, 512, 1).length).toBeLessThan(20_000);
});
