import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseCoding, isKnown } from './accepted.ts';

export type Coding = 'br' | 'gzip';
export type Bytes = Uint8Array<ArrayBuffer>;

const [packBrotli, packGzip] = [promisify(brotliCompress), promisify(gzip)];
const encoders: Record<Coding, (bytes: Bytes) => Promise<Bytes>> = {
  // The library's own quality, 11, is for files that are packed once.
  br: (bytes) => packBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => packGzip(bytes),
};

/** Smaller bodies grow, or fit into the first packet anyway. */
const packedFrom = 1024;

/** Short, because it travels with every request; 162 bits of it are plenty. */
const digestOf = (bytes: Bytes) => hash('sha256', bytes, 'base64url').slice(0, 27);

/** What an answer and each form that it left in take in memory beside their bytes, at most. */
const overhead = 4096;

/** An answer as it left: all headers but those of the single request. */
export interface Sent {
  status: 200 | 304;
  /** Names and values in turn. */
  headers: readonly string[];
  body: Bytes | null;
}

/** What logs and metrics record of every request for an answer. */
export interface Place {
  route: string;
  path: string;
  /** The id of the thing that is asked for. */
  id: string | null;
  /** What a read takes of a quota; null where it is not counted. */
  cost: number | null;
}

/** The name of the form in which a client gets an answer: packed as it accepts, and without its bytes where it has them. */
export function formOf(answer: Answer, accepted: string | undefined, known: string | undefined): string {
  const coding = answer.isWorthPacking ? chooseCoding(accepted) : null;
  return `${isKnown(known, answer.tagOf(coding)) ? 304 : 200} ${coding ?? 'as it is'}`;
}

/** The body of an answer with its tag and packed forms, each made once, when somebody first needs it. */
export class Answer {
  readonly bytes: Bytes;
  /** Those that the route gave it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The ways it has left in, by `formOf`. */
  readonly sent = new Map<string, Sent>();
  /** Noted when it first leaves. */
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

  /** A strong tag: it says how the bytes were packed. Of the bytes before they are packed, so that a 304 costs no packing. */
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

  /** Bytes of memory, those of packed forms included. */
  get size(): number {
    return this.bytes.byteLength + this.#packedBytes + overhead * (1 + this.sent.size);
  }

  toResponse(): Response {
    return new Response(this.bytes, { status: 200, headers: { ...this.headers } });
  }
}
