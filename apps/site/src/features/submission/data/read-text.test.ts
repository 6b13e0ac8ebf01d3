import { expect, test } from 'vitest';
import { toReadText } from './read-text.ts';

const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');
const numbers = (read: ReturnType<typeof toReadText>) =>
  read?.stretches.map((lines) => lines.map(({ number, mark }) => `${number}${mark?.[0] ?? ''}`).join(' '));

test('shows read lines and error lines with the lines around them', () => {
  const read = toReadText(`${text}\n`, [{ from: 5, to: 6 }], [15]);
  expect(numbers(read)).toEqual(['3 4 5r 6r 7 8', '13 14 15f 16 17']);
  expect(read).toMatchObject({ read: 2, faults: 1, all: 20 });
});

test('combines adjacent lines, and prefers an error to a read line', () => {
  expect(numbers(toReadText(text, [{ from: 1, to: 2 }], [2, 6]))).toEqual(['1r 2f 3 4 5 6f 7 8']);
});

test('shortens long text, ignores lines outside of the text, and returns null for binary data', () => {
  const long = toReadText('x\n'.repeat(5000), [{ from: 1, to: 5000 }], []);
  expect(long?.stretches.flat().length).toBeLessThanOrEqual(400);
  expect(long?.read).toBe(5000);
  expect(numbers(toReadText(text, [], [0, 21]))).toEqual([]);
  expect(toReadText('x'.repeat(1000), [{ from: 1, to: 1 }], [])?.stretches[0]?.[0]?.text.length).toBeLessThan(250);
  expect(toReadText('PK\0', [], [1])).toBeNull();
});
