import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseCoding, isKnown } from './accepted.ts';

export type Coding = 'br' | 'gzip';
export type Bytes = Uint8Array<ArrayBuffer>;

const [packBrotli, packGzip] = [promisify(brotliCompress), promisify(gzip)];
const encoders: Record<Coding, (bytes: Bytes) => Promise<Bytes>> = {
  // The library's default quality, 11, is meant for files that are compressed once.
  br: (bytes) => packBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => packGzip(bytes),
};

/** Smaller bodies grow when compressed, or fit into the first packet anyway. */
const packedFrom = 1024;

/** Short, because it is sent with every request; 162 bits are enough. */
const digestOf = (bytes: Bytes) => hash('sha256', bytes, 'base64url').slice(0, 27);

/** Maximum memory overhead of a response and each of its sent forms, in addition to their bytes. */
const overhead = 4096;

/** A response as sent, without the headers specific to one request. */
export interface Sent {
  status: 200 | 304;
  /** Alternating names and values. */
  headers: readonly string[];
  body: Bytes | null;
}

/** What logs and metrics record for every request for a response. */
export interface Place {
  route: string;
  path: string;
  /** The id of the requested object. */
  id: string | null;
  /** Quota cost of a read; null if it is not counted. */
  cost: number | null;
}

/** The name of the form in which a client gets a response: the accepted compression, and without a body if the client has it. */
export function formOf(answer: Answer, accepted: string | undefined, known: string | undefined): string {
  const coding = answer.isWorthPacking ? chooseCoding(accepted) : null;
  return `${isKnown(known, answer.tagOf(coding)) ? 304 : 200} ${coding ?? 'as it is'}`;
}

/** The body of a response with its tag and compressed forms. Each is made once, on first use. */
export class Answer {
  readonly bytes: Bytes;
  /** The headers that the route set. */
  readonly headers: Readonly<Record<string, string>>;
  /** The forms sent so far, by `formOf`. */
  readonly sent = new Map<string, Sent>();
  /** Recorded when the response is first sent. */
  place: Place | null = null;
  #digest: string | undefined;
  readonly #packed = new Map<Coding, Promise<Bytes>>();
  #packedBytes = 0;

  constructor(bytes: Bytes, headers: Readonly<Record<string, string>> = {}) {
    this.bytes = bytes;
    this.headers = headers;
  }

  get isWorthPacking(): boolean {
    return this.bytes.byteLength >= packedFrom;
  }

  /** A strong tag that names the coding. It is computed from the uncompressed bytes, so that a 304 needs no compression. */
  tagOf(coding: Coding | null): string {
    this.#digest ??= digestOf(this.bytes);
    return `"${this.#digest}${coding === null ? '' : `-${coding}`}"`;
  }

  packed(coding: Coding | null): Promise<Bytes> | Bytes {
    if (coding === null) return this.bytes;
    const known = this.#packed.get(coding);
    if (known !== undefined) return known;
    const packing = encoders[coding](this.bytes);
    this.#packed.set(coding, packing);
    packing.then(
      ({ byteLength }) => {
        this.#packedBytes += byteLength;
      },
      () => this.#packed.delete(coding),
    );
    return packing;
  }

  /** Memory in bytes, including compressed forms. */
  get size(): number {
    return this.bytes.byteLength + this.#packedBytes + overhead * (1 + this.sent.size);
  }

  toResponse(): Response {
    return new Response(this.bytes, { status: 200, headers: { ...this.headers } });
  }
}
