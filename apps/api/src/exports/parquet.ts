import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column, ColumnType, ExportFormat } from './format.ts';
import { gatherColumns } from './row-group.ts';

/**
 * Rows that are encoded at once, which is what an export holds in memory, beside where each column of each group lies: of
 * fewer rows there would be more of the latter.
 */
const groupRows = 8192;

/** How a type is stored. */
const elements: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  number: { type: 'DOUBLE' },
  // Not more than half of the range is ever used, but counts that add up may pass 32 bits.
  integer: { type: 'INT64' },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

const toElement = ({ name, type }: Column): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...elements[type],
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
        type: elements[type].type ?? 'BYTE_ARRAY',
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
    const gathered = gatherColumns(columns, groupRows);
    let rowsInGroup = 0;
    const writeGroup = (): Uint8Array<ArrayBuffer> => {
      const rows = rowsInGroup;
      const columnData = gathered.map((column) => ({
        name: column.name,
        // Made when the writer comes to it, so that few columns are there at a time.
        get data() {
          return column.read(rows);
        },
        offsetIndex: false,
        // Bounds of nothing would be kept for the footer all the same.
        statistics: column.hasAny(rows),
      }));
      // Answers a promise only where the writer has `flush`, which this one has not.
      void file.write({ columnData, rowGroupSize: groupRows });
      rowsInGroup = 0;
      return takeBytes(sink);
    };
    for await (const rows of chunks) {
      for (const row of rows) {
        const cells = toCells(row);
        for (const [at, column] of gathered.entries()) column.put(rowsInGroup, cells[at] ?? null);
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
