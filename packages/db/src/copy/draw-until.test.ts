import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { drawUntil } from './draw-until.ts';

function* counting(to: number): Generator<number> {
  for (let number = 1; number <= to; number += 1) yield number;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

test('leaves the remaining items in the source', async () => {
  const source = counting(1000);
  const drawn = await drawUntil(turns(3), source);
  expect(drawn.length).toBeGreaterThan(0);
  expect(drawn.length).toBeLessThan(10);
  expect([...drawn, ...source]).toEqual([...counting(1000)]);
});

test('waits for the promise even if the source is empty first', async () => {
  let happened = false;
  const waiting = turns(20).then(() => {
    happened = true;
  });
  expect(await drawUntil(waiting, counting(2))).toEqual([1, 2]);
  expect(happened).toBe(true);
});

test('fails once with the error of the promise, and stops drawing', async () => {
  const source = counting(1000);
  const failing = turns(3).then(() => {
    throw new Error('no room');
  });
  await expect(drawUntil(failing, source)).rejects.toThrow('no room');
  expect([...source].length).toBeGreaterThan(900);
});
