import { guarded } from '@inferboard/core/adapters/native-columns';
import { stringify } from 'csv-stringify/sync';
import type { Cell, ExportFormat } from './format.ts';

const encoder = new TextEncoder();

const toShown = (cell: Cell) => (typeof cell === 'string' ? guarded(cell) : cell);

/** RFC 4180 with a heading. Missing is empty, numbers are unrounded, and no text runs as a formula. */
export const csv: ExportFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  isText: true,
  title: 'a table with a heading, as CSV',
  async *write({ columns, toCells, chunks }) {
    let heading = stringify([columns.map(({ name }) => name)]);
    for await (const rows of chunks) {
      yield encoder.encode(heading + stringify(rows.map((row) => toCells(row).map(toShown))));
      heading = '';
    }
    if (heading !== '') yield encoder.encode(heading);
  },
};
