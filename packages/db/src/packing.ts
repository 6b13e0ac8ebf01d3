import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

/** Bytes as they are stored. */
export interface Packed {
  bytes: Uint8Array;
  /** Null: as they came. */
  packing: 'zstd' | null;
}

/** The fast end: ten thousand records of a tool, 8.5 MB, shrink to a fifth in 50 ms. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Below this the database keeps a value within its row. */
const packedFrom = 2000;

/**
 * Makes bytes small, on another thread. The database would do it as well, later, slower, and worse, and all of an upload
 * waits for it then.
 */
export async function pack(bytes: Uint8Array): Promise<Packed> {
  if (bytes.length < packedFrom) return { bytes, packing: null };
  const packed = await compress(bytes, options);
  return packed.length < bytes.length ? { bytes: packed, packing: 'zstd' } : { bytes, packing: null };
}

/** The bytes that were packed. */
export async function unpack({ bytes, packing }: Packed): Promise<Uint8Array> {
  return packing === null ? bytes : await decompress(bytes);
}
