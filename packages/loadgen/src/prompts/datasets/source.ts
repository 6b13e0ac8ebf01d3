import { open } from 'node:fs/promises';
import { DatasetError } from './dataset-error.ts';

/**
 * Where a data set comes from: a file, or a function that fetches it. The function is given the most bytes it may
 * return; a stream is read no further than the records need.
 */
export type DatasetSource =
  | { path: string }
  | { name: string; fetch: (bytesMax: number) => Promise<Uint8Array | AsyncIterable<Uint8Array>> };

/** A data set of which any part can be had. */
export interface SourceParts {
  byteLength: number;
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

export interface OpenSource {
  name: string;
  /** The bytes from the start; once. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Null if there is only the stream. */
  parts: SourceParts | null;
  close(): Promise<void>;
}

/** Any part of bytes that are all here. */
export function partsOf(bytes: Uint8Array): SourceParts {
  const slice = async (start: number, end = bytes.byteLength) => new Uint8Array(bytes.subarray(start, end)).buffer;
  return { byteLength: bytes.byteLength, slice };
}

const chunkBytes = 1024 ** 2;

const tooLarge = (name: string, bytesMax: number) =>
  new DatasetError('too_large', `${name} has more than ${bytesMax} bytes`);

const isNoFile = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function openFile(path: string, bytesMax: number): Promise<OpenSource> {
  const unreadable = (error: unknown) =>
    isNoFile(error)
      ? new DatasetError('file_missing', `there is no file ${path}`, {}, { cause: error })
      : new DatasetError('file_unreadable', `${path} cannot be read`, {}, { cause: error });
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(error);
  });
  const stat = await handle.stat();
  const refuse = async (error: DatasetError) => {
    await handle.close();
    throw error;
  };
  if (!stat.isFile()) return refuse(new DatasetError('file_unreadable', `${path} is not a file`));
  if (stat.size > bytesMax) return refuse(tooLarge(path, bytesMax));

  const read = async (start: number, length: number) => {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  };
  return {
    name: path,
    async *chunks() {
      for (let start = 0; start < stat.size; start += chunkBytes) {
        yield await read(start, Math.min(chunkBytes, stat.size - start));
      }
    },
    parts: {
      byteLength: stat.size,
      async slice(start, end = stat.size) {
        const bytes = await read(start, Math.max(0, end - start));
        return bytes.buffer.slice(0, bytes.byteLength);
      },
    },
    close: () => handle.close(),
  };
}

async function* bounded(name: string, stream: AsyncIterable<Uint8Array>, bytesMax: number) {
  let seen = 0;
  try {
    for await (const chunk of stream) {
      seen += chunk.byteLength;
      if (seen > bytesMax) throw tooLarge(name, bytesMax);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError('fetch_failed', `${name} ended after ${seen} bytes`, {}, { cause: error });
  }
}

async function* once(bytes: Uint8Array) {
  for (let start = 0; start < bytes.byteLength; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
}

async function openFetched(
  { name, fetch }: Extract<DatasetSource, { name: string }>,
  bytesMax: number,
): Promise<OpenSource> {
  const fetched = await fetch(bytesMax).catch((error: unknown) => {
    throw new DatasetError('fetch_failed', `${name} could not be fetched`, {}, { cause: error });
  });
  const close = async () => {};
  if (!(fetched instanceof Uint8Array))
    return { name, chunks: () => bounded(name, fetched, bytesMax), parts: null, close };
  if (fetched.byteLength > bytesMax) throw tooLarge(name, bytesMax);
  return { name, chunks: () => once(fetched), parts: partsOf(fetched), close };
}

/** Opens a data set. Throws DatasetError where its bytes are not to be had or are too many. */
export function openSource(source: DatasetSource, bytesMax: number): Promise<OpenSource> {
  return 'path' in source ? openFile(source.path, bytesMax) : openFetched(source, bytesMax);
}
