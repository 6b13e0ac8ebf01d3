import { type MatrixQuestion, readMatrix, viewCell } from '../boards/read-matrix.ts';
import type { Deps } from '../deps.ts';
import { type ColumnOf, factColumns, integer, number, text, toCells, unitOf } from './columns.ts';
import type { Export } from './format.ts';

type Matrix = Awaited<ReturnType<typeof readMatrix<ReturnType<typeof viewCell>>>>;

/** One cell with its headings and the matrix's common properties. */
type Entry = Pick<Matrix, 'metric' | 'unit' | 'order'> & {
  definition: string | null;
  row: { dimension: string; id: string; title: string };
  column: { dimension: string; id: string; title: string };
} & NonNullable<Matrix['cells'][number][number]>;

const columnsIn = (unit: string): readonly ColumnOf<Entry>[] => [
  text('row_dimension', ({ row }) => row.dimension),
  text('row_id', ({ row }) => row.id),
  text('row_title', ({ row }) => row.title),
  text('column_dimension', ({ column }) => column.dimension),
  text('column_id', ({ column }) => column.id),
  text('column_title', ({ column }) => column.title),
  text('metric', ({ metric }) => metric),
  number('value', ({ value }) => value, unit),
  text('unit', (entry) => entry.unit),
  text('definition', ({ definition }) => definition),
  integer('n', ({ statistics }) => statistics.n, '1'),
  number('ci95_low', ({ statistics }) => statistics.ci95?.[0] ?? null, unit),
  number('ci95_high', ({ statistics }) => statistics.ci95?.[1] ?? null, unit),
  text('trust', ({ trust }) => trust),
  integer('findings', ({ findings }) => findings, '1'),
  integer('warnings', ({ warnings }) => warnings, '1'),
  ...factColumns,
];

function* entriesOf({ metric, unit, order, definition, rows, columns, cells }: Matrix): Generator<Entry> {
  for (const [y, row] of rows.headings.entries()) {
    for (const [x, column] of columns.headings.entries()) {
      const cell = cells[y]?.[x] ?? null;
      if (cell === null) continue;
      const place = {
        row: { dimension: rows.dimension, ...row },
        column: { dimension: columns.dimension, ...column },
      };
      yield { metric, unit, order, definition: definition?.id ?? null, ...place, ...cell };
    }
  }
}

const chunkCells = 500;

/** The cells of a matrix that have a value, row by row. The matrix is read as a whole: its size is bounded. */
export async function exportMatrix(
  deps: Deps,
  question: MatrixQuestion,
  asked: Record<string, string>,
): Promise<Export<Entry>> {
  const matrix = await readMatrix(deps, question, new URLSearchParams(), viewCell);
  const columns = columnsIn(unitOf(matrix.unit));
  async function* view(): AsyncGenerator<Entry[]> {
    let chunk: Entry[] = [];
    for (const entry of entriesOf(matrix)) {
      chunk.push(entry);
      if (chunk.length < chunkCells) continue;
      yield chunk;
      chunk = [];
    }
    yield chunk;
  }
  const about = {
    ...asked,
    metric: matrix.metric,
    order: matrix.order,
    excluded: JSON.stringify(matrix.excluded),
    ...(matrix.definition !== null && { definition: matrix.definition.id }),
    ...(matrix.workload !== null && { workload: matrix.workload.id }),
  };
  return { columns, toCells: toCells(columns), chunks: view(), about: () => about };
}
