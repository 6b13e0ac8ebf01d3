import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column, ColumnType, ExportFormat } from './format.ts';
import { gatherColumns } from './row-group.ts';

/**
 * Rows per row group. An export holds one group in memory, plus the footer's offsets of each column of each group; smaller groups
 * need more offsets.
 */
const groupRows = 8192;

/** Storage of each type. */
const elements: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  number: { type: 'DOUBLE' },
  // Values use at most half of the range, but sums of counts may exceed 32 bits.
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
  // After the four magic bytes at the start of the file.
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

/** The bytes written since the last call. The writer keeps its offset, because the footer contains file offsets. */
function takeBytes(sink: ByteWriter): Uint8Array<ArrayBuffer> {
  const bytes = sink.getBytes().slice();
  sink.index = 0;
  return bytes;
}

function unitsOf(columns: readonly Column[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap(({ name, unit }) => (unit === null ? [] : [[name, unit]])));
}

/** Apache Parquet with typed nullable columns, written one row group at a time. The footer has the units and the query. */
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
        // A getter, so that only a few encoded columns are in memory at a time.
        get data() {
          return column.read(rows);
        },
        offsetIndex: false,
        // The writer would otherwise store bounds for empty columns in the footer.
        statistics: column.hasAny(rows),
      }));
      // Returns a promise only if the writer has `flush`, which this one does not have.
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
    // The writer encodes an empty list of groups without a type, which strict readers reject.
    if (file.row_groups.length === 0) file.row_groups.push(emptyGroup(columns));
    const metadata = { ...about(), units: JSON.stringify(unitsOf(columns)) };
    file.kvMetadata = Object.entries(metadata).map(([key, value]) => ({ key, value }));
    void file.finish();
    yield takeBytes(sink);
  },
};
