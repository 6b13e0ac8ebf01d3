import { tableHeading, toTableCells } from '@inferboard/core/adapters/native/columns';
import type { Filters } from '@inferboard/core/filters/filters';
import { streamResults } from '@inferboard/db/service/result-stream';
import type { Deps } from '../deps.ts';
import { viewResult } from '../result-views.ts';
import { knownColumn } from './columns.ts';
import type { Column, Export } from './format.ts';

type Viewed = ReturnType<typeof viewResult>;

/** Columns that only this list has and that are not text. */
const own = new Map<string, Column>(
  (
    [
      { name: 'repetition', type: 'integer', unit: '1' },
      { name: 'measured_at', type: 'instant', unit: null },
    ] as const
  ).map((column) => [column.name, column]),
);

/** The columns of the native table, so that the file can be submitted unchanged. */
const columns = tableHeading.map((name) => own.get(name) ?? knownColumn(name));

async function* view(deps: Deps, filters: Filters): AsyncGenerator<Viewed[]> {
  for await (const rows of streamResults(deps.database.reads.db, filters)) {
    yield rows.map((row) => viewResult(row, deps.publicUrl));
  }
}

/** Single results, newest first, as in the API. */
export function exportResults(deps: Deps, filters: Filters, about: Record<string, string>): Export<Viewed> {
  return {
    columns,
    // A view contains only JSON values.
    toCells: (result) => toTableCells(result as never),
    chunks: view(deps, filters),
    about: () => about,
  };
}
