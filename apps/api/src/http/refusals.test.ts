import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRefusals } from './refusals.ts';

const refused = { isAllowed: false, remaining: 0, resetS: 3 };

test('a rejection lasts for the stated time, and reports the remaining time', () => {
  let at = 1000;
  const refusals = createRefusals(() => at);
  expect(refusals.recall('a')).toBeNull();
  refusals.note('a', refused);
  expect(refusals.recall('a')).toEqual(refused);
  expect(refusals.recall('b')).toBeNull();
  at += 2001;
  expect(refusals.recall('a')).toEqual({ ...refused, resetS: 1 });
  at += 999;
  expect(refusals.recall('a')).toBeNull();
});

test('does not remember accepted requests', () => {
  const refusals = createRefusals(() => 0);
  refusals.note('a', { isAllowed: true, remaining: 5, resetS: 60 });
  expect(refusals.recall('a')).toBeNull();
});

test('rejects no other clients, regardless of the number of rejected clients', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 200 }), (callers) => {
      const refusals = createRefusals(() => 0, 16);
      const seen = new Set<number>();
      for (const caller of callers) {
        refusals.note(`${caller}`, refused);
        seen.add(caller);
        expect(refusals.recall(`${caller}`)).toEqual(refused);
      }
      for (let caller = 0; caller <= 40; caller += 1)
        if (!seen.has(caller)) expect(refusals.recall(`${caller}`)).toBeNull();
    }),
  );
});
