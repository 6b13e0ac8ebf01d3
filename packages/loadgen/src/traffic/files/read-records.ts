import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DatasetError } from '../../prompts/datasets/dataset-error.ts';
import { createJsonScanner } from '../../prompts/datasets/json-records.ts';
import { defaultDatasetLimits } from '../../prompts/datasets/limits.ts';
import { openSource } from '../../prompts/datasets/source.ts';
import { readCsvRows } from './csv-rows.ts';
import { withFix } from './file-error.ts';

/** An object of a file, and the line it begins on. */
export interface FileRecord {
  value: Record<string, unknown>;
  line: number;
}

export interface RecordFile {
  /** Without its folder. */
  name: string;
  sha256: string;
  records: FileRecord[];
}

const { bytesMax, recordBytesMax, recordsReadMax } = defaultDatasetLimits;
/** CSV is read whole, as text. */
const csvBytesMax = 256 * 1024 ** 2;

function readJson(name: string, chunks: readonly Uint8Array[]): FileRecord[] {
  const scanner = createJsonScanner(name, recordBytesMax);
  const records: FileRecord[] = [];
  for (const chunk of chunks)
    for (const { value, line } of scanner.push(chunk)) {
      if (records.length === recordsReadMax) return records;
      records.push({ value: value as Record<string, unknown>, line });
    }
  scanner.end();
  return records;
}

/** The first line that is not UTF-8, from 1. */
function firstInvalidLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const next = end < 0 ? bytes.length : end + 1;
    try {
      decoder.decode(bytes.subarray(start, next));
    } catch {
      return line;
    }
    start = next;
  }
  return 1;
}

function readCsv(name: string, bytes: Uint8Array): FileRecord[] {
  if (bytes.length > csvBytesMax)
    throw new DatasetError('too_large', `${name} has more than ${csvBytesMax} bytes; convert it to JSONL`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const line = firstInvalidLine(bytes);
    throw new DatasetError('text_invalid', `${name}, line ${line}: the text is not UTF-8`, { line }, { cause: error });
  }
  const rows = readCsvRows(name, text);
  const head = rows.next().value?.cells.map((cell: string) => cell.trim()) ?? [];
  const records: FileRecord[] = [];
  for (const { cells, line } of rows) {
    if (records.length === recordsReadMax) break;
    if (cells.length !== head.length)
      throw new DatasetError(
        'csv_invalid',
        `${name}, line ${line}: ${cells.length} cells, but the header has ${head.length}`,
        {
          line,
        },
      );
    records.push({ value: Object.fromEntries(head.map((column: string, at: number) => [column, cells[at]])), line });
  }
  return records;
}

const isGzip = ([first]: readonly Uint8Array[]) => first?.[0] === 0x1f && first[1] === 0x8b;

/** The bytes of a gzip file. @throws DatasetError if they are damaged or too many */
async function unpack(path: string, packed: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const unpacked = Readable.from(packed).pipe(createGunzip());
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax)
        throw new DatasetError('too_large', `${path} has more than ${bytesMax} bytes when unpacked`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError('format_unknown', `${path} is damaged: it cannot be unpacked`, {}, { cause: error });
  }
  return chunks;
}

async function readFile(path: string): Promise<RecordFile> {
  const source = await openSource({ path }, bytesMax);
  // A report refuses names with control characters and the like.
  const name = basename(path)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(-100);
  const hash = createHash('sha256');
  let chunks: Uint8Array[] = [];
  try {
    for await (const chunk of source.chunks()) {
      hash.update(chunk);
      chunks.push(chunk);
    }
  } finally {
    await source.close();
  }
  if (isGzip(chunks)) chunks = await unpack(path, chunks);
  const [first = new Uint8Array()] = chunks;
  const hasMark = first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
  if (hasMark) chunks[0] = first.subarray(3);
  const sign = Buffer.from(chunks[0]?.subarray(0, 1024) ?? [])
    .toString('latin1')
    .trimStart()[0];
  if (sign === undefined) throw new DatasetError('empty', `${path} is empty`);
  const isJson = sign === '{' || sign === '[';
  const records = isJson ? readJson(path, chunks) : readCsv(path, Buffer.concat(chunks));
  return { name, sha256: hash.digest('hex'), records };
}

/**
 * Reads the objects of a JSON array, of JSONL, or of a CSV file with a header line, packed with gzip or not. Text that begins with `{` or `[` is
 * JSON.
 *
 * @throws DatasetError on a file that is missing, damaged or too large, with how to fix it
 */
export function readRecords(path: string): Promise<RecordFile> {
  return readFile(path).catch((error: unknown) => {
    throw withFix(error);
  });
}

/** The name of a file as part of a data set's: two files of one name are two data sets. */
export function fileSlug({ name, sha256 }: Pick<RecordFile, 'name' | 'sha256'>): string {
  const stem = name
    .replace(/\.gz$/i, '')
    .replace(/\.[a-z]+$/i, '')
    .slice(0, 30);
  return `${stem}-${sha256.slice(0, 8)}`;
}
