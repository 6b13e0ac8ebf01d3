import { expect, test } from 'vitest';
import { groupDoubts } from './group-doubts.ts';

const of = (name: string, ...doubts: string[]) => doubts.map((doubt) => ({ name, doubt }));

// A search has up to 30 points, most with the same doubts and different numbers.
test('reports doubts that differ in numbers only as one line with ranges', () => {
  const doubts = [
    ...of('a', 'gaps longer than 10 medians: 17', 'in 8 % of reads the server sent several chunks together'),
    ...of('b', 'gaps longer than 10 medians: 2', 'in 2.9 % of reads the server sent several chunks together'),
    ...of('c', 'gaps longer than 10 medians: 123'),
  ];
  expect(groupDoubts(doubts, 3)).toEqual([
    'All 3 points: gaps longer than 10 medians: 2 to 123.',
    'a; b: in 2.9 to 8 % of reads the server sent several chunks together.',
  ]);
});

test.each([
  ['3 of 16 requests got status 429: "busy"', '3 of 16 requests got status 500: "busy"'],
  ['the server says "queue of 4"', 'the server says "queue of 5"'],
  ['the server is version 0.12.0', 'the server is version 0.13.0'],
  ['arrivals were late at p50', 'arrivals were late at p99'],
])('makes no range of a status, a quoted text or a name: %s', (one, other) => {
  expect(groupDoubts([...of('a', one), ...of('b', other)], 2)).toEqual([`a: ${one}.`, `b: ${other}.`]);
});

test('lists a point once that has several such doubts', () => {
  const doubts = of('a', 'thread 1 was late by 3 ms', 'thread 2 was late by 4 ms');
  expect(groupDoubts(doubts, 2)).toEqual(['a: thread 1 to 2 was late by 3 to 4 ms.']);
});

test('keeps the only number as it is', () => {
  expect(groupDoubts(of('a', 'arrivals were late by 5.50 ms at p99, 0 dropped'), 1)).toEqual([
    'a: arrivals were late by 5.50 ms at p99, 0 dropped.',
  ]);
});
