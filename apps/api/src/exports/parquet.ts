import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Cell, Column, ColumnType, ExportFormat } from './format.ts';

/**
 * Rows that are encoded at once, which is what an export holds in memory, beside where each column of each group lies: of
 * fewer rows there would be more of the latter.
 */
const groupRows = 8192;

type Physical = string | number | bigint | Date | null;

/** How a type is stored, and what the writer wants of a cell. */
const types: Record<ColumnType, { element: Omit<SchemaElement, 'name'>; toPhysical(cell: Cell): Physical }> = {
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    toPhysical: (cell) => cell,
  },
  number: { element: { type: 'DOUBLE' }, toPhysical: (cell) => cell },
  // Not more than half of the range is ever used, but counts that add up may pass 32 bits.
  integer: { element: { type: 'INT64' }, toPhysical: (cell) => (cell === null ? null : BigInt(cell)) },
  instant: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    toPhysical: (cell) => (cell === null ? null : new Date(cell)),
  },
};

const toElement = ({ name, type }: Column): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...types[type].element,
});

/** A row group without rows. */
function emptyGroup(columns: readonly Column[]): ParquetWriter['row_groups'][number] {
  // Behind the four bytes that every file begins with.
  const begin = 4n;
  return {
    num_rows: 0n,
    total_byte_size: 0n,
    columns: columns.map(({ name, type }) => ({
      file_offset: begin,
      meta_data: {
        type: types[type].element.type ?? 'BYTE_ARRAY',
        encodings: ['PLAIN'],
        path_in_schema: [name],
        codec: 'UNCOMPRESSED',
        num_values: 0n,
        total_uncompressed_size: 0n,
        total_compressed_size: 0n,
        data_page_offset: begin,
      },
    })),
  };
}

/** What was written since the last time. The writer keeps counting, because the footer names places in the file. */
function takeBytes(sink: ByteWriter): Uint8Array<ArrayBuffer> {
  const bytes = sink.getBytes().slice();
  sink.index = 0;
  return bytes;
}

function unitsOf(columns: readonly Column[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap(({ name, unit }) => (unit === null ? [] : [[name, unit]])));
}

/** Apache Parquet: typed nullable columns, a row group at a time; the footer tells the units and what was asked. */
export const parquet: ExportFormat = {
  extension: 'parquet',
  mediaType: 'application/vnd.apache.parquet',
  isText: false,
  title: 'Apache Parquet',
  async *write({ columns, toCells, chunks, about }) {
    const sink = new ByteWriter();
    const file = new ParquetWriter({
      writer: sink,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(toElement)],
      createdBy: 'Inferboard',
    });
    const physical = columns.map(({ type }) => types[type].toPhysical);
    let group: Physical[][] = columns.map(() => []);
    let rowsInGroup = 0;
    const writeGroup = (): Uint8Array<ArrayBuffer> => {
      const columnData = columns.map(({ name }, at) => {
        const data = group[at] ?? [];
        // Bounds of nothing would be kept for the footer all the same.
        return { name, data, offsetIndex: false, statistics: data.some((cell) => cell !== null) };
      });
      // Answers a promise only where the writer has `flush`, which this one has not.
      void file.write({ columnData, rowGroupSize: groupRows });
      group = columns.map(() => []);
      rowsInGroup = 0;
      // It would keep what it never writes: there are no indexes of pages.
      file.pendingIndexes = [];
      return takeBytes(sink);
    };
    for await (const rows of chunks) {
      for (const row of rows) {
        for (const [at, cell] of toCells(row).entries()) group[at]?.push(physical[at]?.(cell) ?? null);
        rowsInGroup += 1;
        if (rowsInGroup === groupRows) yield writeGroup();
      }
    }
    if (rowsInGroup > 0) yield writeGroup();
    // The writer's list of no groups is of no type, which strict readers refuse.
    if (file.row_groups.length === 0) file.row_groups.push(emptyGroup(columns));
    const told = { ...about(), units: JSON.stringify(unitsOf(columns)) };
    file.kvMetadata = Object.entries(told).map(([key, value]) => ({ key, value }));
    void file.finish();
    yield takeBytes(sink);
  },
};
