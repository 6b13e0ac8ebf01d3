import { expect, test } from 'vitest';
import type { PointView } from '../submission/data/run-view.ts';
import { shareNotes } from './shared-notes.ts';

const point = (load: string, doubts: string[], repetition = 1) =>
  ({ scenario: 'chatbot', load, repetition, doubts }) as unknown as PointView; // Other fields are not read.

test('notes that differ in numbers only are listed once, with the points', () => {
  const { shared, of } = shareNotes([
    point('1 concurrent', ['in 2.1 % of reads', 'gaps: 2']),
    point('4 concurrent', ['in 3.4 % of reads']),
    point('4 concurrent', ['in 3.4 % of reads', 'late'], 2),
  ]);
  expect(shared).toEqual([
    {
      mark: 'a',
      text: 'In 2.1 % of reads',
      points: [
        { title: 'chatbot, 1 concurrent, run 1', text: 'In 2.1 % of reads' },
        { title: 'chatbot, 4 concurrent, run 1', text: 'In 3.4 % of reads' },
        { title: 'chatbot, 4 concurrent, run 2', text: 'In 3.4 % of reads' },
      ],
    },
  ]);
  expect(of).toEqual([
    { marks: ['a'], own: ['gaps: 2'] },
    { marks: ['a'], own: [] },
    { marks: ['a'], own: ['late'] },
  ]);
});

test('a run without notes has none', () => {
  expect(shareNotes([point('1 concurrent', [])])).toEqual({ shared: [], of: [{ marks: [], own: [] }] });
});
