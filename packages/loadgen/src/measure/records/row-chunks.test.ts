import { expect, test } from 'vitest';
import { createTable } from './request-table.ts';
import { RowChunks } from './row-chunks.ts';

test('returns timestamps of interleaved rows by row, in ascending order', () => {
  const table = createTable(3);
  table.counts.maxTokens[0] = 2;
  const chunks = new RowChunks(table);
  for (let at = 0; at < 1000; at++) chunks.add(at % 2, at);
  chunks.add(1, 0.5);
  expect([...chunks.take(0)]).toEqual(Array.from({ length: 500 }, (_, place) => 2 * place));
  expect([...chunks.take(1)]).toEqual([0.5, ...Array.from({ length: 500 }, (_, place) => 2 * place + 1)]);
  expect(chunks.take(2)).toHaveLength(0);
});
