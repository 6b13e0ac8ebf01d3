import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pack, unpack } from './packing.ts';

test('unpacks the same bytes, and never enlarges them', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 5000 }),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.integer({ min: 1, max: 500 }))
      .map(([piece, times]) =>
        Uint8Array.from({ length: piece.length * times }, (_, at) => piece[at % piece.length] ?? 0),
      ),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (given) => {
      const packed = await pack(given);
      expect(packed.bytes.length).toBeLessThanOrEqual(given.length);
      expect(Buffer.compare(await unpack(packed), given)).toBe(0);
    }),
  );
});

test('compresses a report of many lines, but not a short one', async () => {
  const line = '{"run_name": "default", "batch_size": 1, "latency": 3.8}\n';
  const long = Buffer.from(line.repeat(200));
  expect(await pack(Buffer.from(line))).toEqual({ bytes: Buffer.from(line), packing: null });
  const { bytes, packing } = await pack(long);
  expect(packing).toBe('zstd');
  expect(bytes.length).toBeLessThan(long.length / 10);
});
