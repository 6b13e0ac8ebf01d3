import { type FileMetaData, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { DatasetError } from './dataset-error.ts';
import type { DatasetLimits } from './limits.ts';
import type { SourceParts } from './source.ts';

/** Rows of a group read at once at most: a column of them is unpacked whole. */
const rowsOfGroupMax = 2_000_000;

/** Decompressors that reject a page with a stated size above the maximum of a record. */
function boundedCompressors(bytesMax: number): typeof compressors {
  return Object.fromEntries(
    Object.entries(compressors).map(([codec, unpack]) => [
      codec,
      (input: Uint8Array, outputLength: number) => {
        if (outputLength > bytesMax)
          throw new DatasetError('too_large', `a page has ${outputLength} bytes uncompressed, more than ${bytesMax}`);
        return unpack(input, outputLength);
      },
    ]),
  );
}

/** What the library throws on a damaged file, in our words. */
async function reading<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError('parquet_invalid', `${name} is not a complete Parquet file`, {}, { cause: error });
  }
}

function checkColumns(name: string, metadata: FileMetaData, columns: readonly string[]): void {
  const present = parquetSchema(metadata).children.map(({ element }) => element.name);
  const missing = columns.filter((column) => !present.includes(column));
  if (missing.length === 0) return;
  const has = present.slice(0, 20).join(', ');
  throw new DatasetError('columns_missing', `${name} has no column ${missing.join(', ')}; it has ${has}`);
}

/** Rows of a Parquet file as objects of these columns, group by group. */
export async function* readParquetRecords(
  name: string,
  parts: SourceParts,
  columns: readonly string[],
  limits: DatasetLimits,
): AsyncGenerator<{ value: unknown; record: number }> {
  const metadata = await reading(name, () => parquetMetadataAsync(parts));
  checkColumns(name, metadata, columns);
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    if (!(rows >= 0 && rows <= rowsOfGroupMax))
      throw new DatasetError('too_large', `${name} has a group of ${rows} rows, more than ${rowsOfGroupMax}`);
    const groupEnd = groupStart + rows;
    // A part of a group at a time: where most records are usable, the rest is never unpacked.
    for (let start = groupStart; start < groupEnd; start += limits.recordsMax) {
      const options = {
        file: parts,
        metadata,
        columns: [...columns],
        compressors: boundedCompressors(limits.recordBytesMax),
        rowStart: start,
        rowEnd: Math.min(groupEnd, start + limits.recordsMax),
      };
      const found = await reading(name, () => parquetReadObjects(options));
      for (const [index, value] of found.entries()) yield { value, record: start + index + 1 };
    }
    groupStart = groupEnd;
  }
}
