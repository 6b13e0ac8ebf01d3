import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPointer } from './json-pointer.ts';

test('writes the examples of RFC 6901', () => {
  const paths = [[], ['foo', 0], [''], ['a/b'], ['m~n'], ['~1']];
  expect(paths.map(toPointer)).toEqual(['', '/foo/0', '/', '/a~1b', '/m~0n', '/~01']);
});

test('different paths have different pointers', () => {
  const path = fc.array(fc.string({ maxLength: 5, unit: fc.constantFrom('/', '~', '0', '1', 'a') }), { maxLength: 4 });
  fc.assert(
    fc.property(path, path, (one, other) => {
      expect(toPointer(one) === toPointer(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
