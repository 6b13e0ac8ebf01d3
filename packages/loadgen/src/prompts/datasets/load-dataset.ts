import type { DatasetId } from '@inferboard/core/plans/datasets';
import { DatasetError } from './dataset-error.ts';
import { createJsonScanner } from './json-records.ts';
import { type DatasetKind, datasetKinds, type Question, type SkipReason } from './kinds.ts';
import { type DatasetLimits, defaultDatasetLimits } from './limits.ts';
import { readParquetRecords } from './parquet-records.ts';
import { type DatasetSource, type OpenSource, openSource, partsOf } from './source.ts';

/** A usable record; `record` is its number in the file, from 1. */
export interface DatasetRecord extends Question {
  record: number;
}

export interface Dataset {
  id: DatasetId;
  /** The file's path or the fetched thing's name. */
  name: string;
  /** In the order of the file. */
  records: DatasetRecord[];
  /** Records looked at, usable or not. */
  read: number;
  /** Records left out, by reason. */
  skipped: Partial<Record<SkipReason, number>>;
  /** Whether the file may hold more than was looked at. */
  isPartial: boolean;
}

type Records = AsyncIterable<{ value: unknown; record: number }>;

const isParquet = (head: Uint8Array) => Buffer.from(head.subarray(0, 4)).toString('latin1') === 'PAR1';

/** A stream with what was taken from it in front again. */
async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* readJsonRecords(name: string, chunks: AsyncIterable<Uint8Array>, limits: DatasetLimits) {
  const scanner = createJsonScanner(name, limits.recordBytesMax);
  for await (const chunk of chunks) yield* scanner.push(chunk);
  scanner.end();
}

const markLength = (head: Uint8Array) => (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0);
const firstSign = (head: Uint8Array) => head.findIndex((byte, index) => index >= markLength(head) && byte > 0x20);

/** Enough of the beginning to know the format by: a byte order mark and blanks may come first. */
async function readHead(stream: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < 4 || firstSign(head) < 0) {
    const next = await stream.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function collectBytes(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function recordsOf(source: OpenSource, { columns }: DatasetKind, limits: DatasetLimits): Promise<Records> {
  const { name } = source;
  const stream = source.chunks()[Symbol.asyncIterator]();
  const head = await readHead(stream);
  const whole = joined(head.subarray(markLength(head)), stream);
  // Parquet is read from its end, so a stream has to come to it first.
  if (isParquet(head))
    return readParquetRecords(name, source.parts ?? partsOf(await collectBytes(whole)), columns, limits);
  const sign = head[firstSign(head)];
  if (sign === undefined) throw new DatasetError('empty', `${name} is empty`);
  if (sign !== 0x7b && sign !== 0x5b) {
    const hint = head[0] === 0x1f && head[1] === 0x8b ? ': decompress it first' : '';
    throw new DatasetError('format_unknown', `${name} is neither JSON, JSONL nor Parquet${hint}`);
  }
  return readJsonRecords(name, whole, limits);
}

async function collect(id: DatasetId, name: string, records: Records, limits: DatasetLimits): Promise<Dataset> {
  const kind: DatasetKind = datasetKinds[id];
  const dataset: Dataset = { id, name, records: [], read: 0, skipped: {}, isPartial: false };
  for await (const { value, record } of records) {
    if (dataset.records.length >= limits.recordsMax || dataset.read >= limits.recordsReadMax) {
      dataset.isPartial = true;
      break;
    }
    dataset.read++;
    const question = kind.read(value);
    if (typeof question === 'string') dataset.skipped[question] = (dataset.skipped[question] ?? 0) + 1;
    else dataset.records.push({ ...question, record });
  }
  if (dataset.records.length > 0) return dataset;
  const why = Object.entries(dataset.skipped).map(([reason, count]) => `${reason} ${count}`);
  const message = `${name} has no usable record of ${id} among ${dataset.read} (${why.join(', ') || 'none at all'}); its records need ${kind.columns.join(' and ')}`;
  throw new DatasetError('no_usable_records', message);
}

/**
 * Reads a data set: JSON (a list of objects), JSONL or Parquet, detected by content. Records that cannot be
 * sent are counted and omitted. A damaged file is a DatasetError that names the record, because the records after it
 * would be lost silently.
 */
export async function loadDataset(
  id: DatasetId,
  source: DatasetSource,
  limits: DatasetLimits = defaultDatasetLimits,
): Promise<Dataset> {
  const opened = await openSource(source, limits.bytesMax);
  try {
    return await collect(id, opened.name, await recordsOf(opened, datasetKinds[id], limits), limits);
  } finally {
    await opened.close();
  }
}
