import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseCoding } from './accept-encoding.ts';
import { matchesIfNoneMatch } from './conditional-requests.ts';

export type ContentCoding = 'br' | 'gzip';
export type Bytes = Uint8Array<ArrayBuffer>;

const [compressBrotli, compressGzip] = [promisify(brotliCompress), promisify(gzip)];
const encoders: Record<ContentCoding, (bytes: Bytes) => Promise<Bytes>> = {
  // The library's default quality, 11, is meant for files that are compressed once.
  br: (bytes) => compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => compressGzip(bytes),
};

/** Smaller bodies grow when compressed, or fit into the first packet anyway. */
const compressedFrom = 1024;

/** Short, because it is sent with every request; 162 bits are enough. */
const digestOf = (bytes: Bytes) => hash('sha256', bytes, 'base64url').slice(0, 27);

/** Maximum memory overhead of a response and each of its variants, in addition to their bytes. */
const overhead = 4096;

/** A response as sent for one kind of request, without the headers specific to one request. */
export interface Variant {
  status: 200 | 304;
  /** Alternating names and values. */
  headers: readonly string[];
  body: Bytes | null;
}

/** What logs and metrics record for every request for a response. */
export interface RequestInfo {
  route: string;
  path: string;
  /** The id of the requested object. */
  id: string | null;
  /** Quota cost of a read; null if it is not counted. */
  cost: number | null;
}

/** Which variant of a response a client gets: in the accepted compression, and without a body if the client has it. */
export function variantKey(
  response: BufferedResponse,
  acceptEncoding: string | undefined,
  ifNoneMatch: string | undefined,
): string {
  const coding = response.isWorthCompressing ? chooseCoding(acceptEncoding) : null;
  return `${matchesIfNoneMatch(ifNoneMatch, response.etag(coding)) ? 304 : 200} ${coding ?? 'identity'}`;
}

/** The body of a response with its tag and compressed forms. Each is made once, on first use. */
export class BufferedResponse {
  readonly bytes: Bytes;
  /** The headers that the route set. */
  readonly headers: Readonly<Record<string, string>>;
  /** The variants sent so far, by `variantKey`. */
  readonly variants = new Map<string, Variant>();
  /** Recorded when the response is first sent. */
  requestInfo: RequestInfo | null = null;
  #digest: string | undefined;
  readonly #encoded = new Map<ContentCoding, Promise<Bytes>>();
  #encodedBytes = 0;

  constructor(bytes: Bytes, headers: Readonly<Record<string, string>> = {}) {
    this.bytes = bytes;
    this.headers = headers;
  }

  get isWorthCompressing(): boolean {
    return this.bytes.byteLength >= compressedFrom;
  }

  /** A strong tag that names the coding. It is computed from the uncompressed bytes, so that a 304 needs no compression. */
  etag(coding: ContentCoding | null): string {
    this.#digest ??= digestOf(this.bytes);
    return `"${this.#digest}${coding === null ? '' : `-${coding}`}"`;
  }

  encoded(coding: ContentCoding | null): Promise<Bytes> | Bytes {
    if (coding === null) return this.bytes;
    const known = this.#encoded.get(coding);
    if (known !== undefined) return known;
    const compression = encoders[coding](this.bytes);
    this.#encoded.set(coding, compression);
    compression.then(
      ({ byteLength }) => {
        this.#encodedBytes += byteLength;
      },
      () => this.#encoded.delete(coding),
    );
    return compression;
  }

  /** Memory in bytes, including compressed forms. */
  get size(): number {
    return this.bytes.byteLength + this.#encodedBytes + overhead * (1 + this.variants.size);
  }

  toResponse(): Response {
    return new Response(this.bytes, { status: 200, headers: { ...this.headers } });
  }
}
