import { expect, it } from 'vitest';
import { shareRead } from './shared-read.ts';

/** Reads that end on command. */
function slowReads() {
  const begun: { end: (value: number) => void; fail: (error: Error) => void }[] = [];
  const read = () => new Promise<number>((end, fail) => begun.push({ end, fail }));
  return { begun, ask: shareRead(read) };
}
/** Longer than a read waits for more callers. */
const turn = async () => {
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

it('requests during a read share the next one', async () => {
  const { begun, ask } = slowReads();
  const first = ask();
  await turn();
  const later = [ask(), ask(), ask()];
  await turn();
  expect(begun.length).toBe(1);
  begun[0]?.end(1);
  await turn();
  expect(begun.length).toBe(2);
  begun[1]?.end(2);
  expect(await Promise.all([first, ...later])).toEqual([1, 2, 2, 2]);
  await turn();
  expect(begun.length).toBe(2);
});

it('a failed read fails the waiting requests, and no later request', async () => {
  const { begun, ask } = slowReads();
  const first = ask();
  await turn();
  const second = ask();
  begun[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turn();
  begun[1]?.end(2);
  expect(await second).toBe(2);
});

it('a read waits for more requests, for a limited time', async () => {
  const { begun, ask } = slowReads();
  const asked: Promise<number>[] = [];
  let turns = 0;
  while (begun.length === 0) {
    asked.push(ask());
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
    if (turns > 100) throw new Error('it waits for ever');
  }
  expect(asked.length).toBeGreaterThan(3);
  begun[0]?.end(7);
  expect(await asked[0]).toBe(7);
});
