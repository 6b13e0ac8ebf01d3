import { expect, test } from 'vitest';
import { tableOf } from '../testing/point-table.ts';
import { createMemory } from './remembered.ts';

test('remembers for as long as no row changes, and the last few only', () => {
  const memory = createMemory<number>();
  let asked = 0;
  const find = () => {
    asked += 1;
    return asked;
  };
  const table = { ...tableOf([]), version: 1 };
  expect([memory(table, 'a', find), memory(table, 'a', find), memory(table, 'b', find)]).toEqual([1, 1, 2]);
  table.version = 2;
  expect(memory(table, 'a', find)).toBe(3);
  for (const key of 'bcdefgh') memory(table, key, find);
  expect(memory(table, 'a', find)).toBe(3);
  // Nine keys: `b` has waited longest.
  memory(table, 'i', find);
  expect(memory(table, 'a', find)).toBe(3);
  const before = asked;
  memory(table, 'b', find);
  expect(asked).toBe(before + 1);
  expect(memory({ ...table }, 'a', find)).toBe(before + 2);
});
