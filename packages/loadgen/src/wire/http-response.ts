/** Status line and headers of an answer. */
export interface ResponseHead {
  status: number;
  /** Names in lower case; of repeated ones the values joined by a comma. */
  headers: Readonly<Record<string, string>>;
}

export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /** Bytes of the body without their framing, valid only during the call. */
  onBody(bytes: Buffer, start: number, end: number): void;
  onEnd(): void;
}

/** The bytes are no HTTP/1.1 answer that we know how to read. */
export class HttpError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HttpError';
  }
}

/** More would be an attack or a mistake: servers themselves stop at 8 to 64 KiB. */
const headBytesMax = 64 * 1024;
/** Maximum length of the line before a chunk. Its extensions are not used in practice. */
const chunkLineBytesMax = 1024;
const chunkBytesMax = 2 ** 40;

const lf = 10;
const cr = 13;
const semicolon = 59;

// Numbers, since the state is compared for every piece of every read.
const inHead = 0;
const inLength = 1;
const untilClose = 2;
const inChunkLine = 3;
const inChunk = 4;
const afterChunk = 5;
const inTrailer = 6;
const ended = 7;

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Reads status line and headers, folded lines included. */
export function parseHead(text: string): { head: ResponseHead; isHttp10: boolean } {
  const [first = '', ...lines] = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const match = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(first);
  if (match === null) throw new HttpError('the response does not begin with an HTTP/1 status line');
  // Without a prototype, the headers of all responses have the same shape for the compiler, regardless of their names.
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    if (colon <= 0) throw new HttpError('a header line has no name');
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return { head: { status: Number(match[2]), headers }, isHttp10: match[1] === '0' };
}

/** A Content-Length, which a proxy may have doubled; null where there is none. */
function parseLength(text: string | undefined): number | null {
  if (text === undefined) return null;
  const lengths = new Set(text.split(',').map((part) => part.trim()));
  const [only = ''] = lengths;
  if (lengths.size !== 1 || !/^\d{1,15}$/.test(only)) throw new HttpError('the content-length is not a number');
  return Number(only);
}

/**
 * Reads one HTTP/1.1 response, from pieces cut anywhere. A piece of body inside one read is passed on
 * without a copy. Interim responses (1xx) are skipped.
 */
export class ResponseReader {
  readonly #sink: ResponseSink;
  #state = inHead;
  #head = '';
  #lineBytes = 0;
  #left = 0;
  #chunkDigits = 0;
  #isInExtension = false;
  #keepsAlive = false;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Ready for the next answer. */
  reset(): void {
    this.#state = inHead;
    this.#head = '';
    this.#lineBytes = 0;
    this.#keepsAlive = false;
  }

  /** Stops reading: the rest of this response is not needed. */
  stop(): void {
    this.#state = ended;
    this.#keepsAlive = false;
  }

  get isEnded(): boolean {
    return this.#state === ended;
  }

  /** True once the answer is complete if the connection may carry another. */
  get keepsAlive(): boolean {
    return this.#state === ended && this.#keepsAlive;
  }

  /** Reads bytes `start` to `end` and returns where the response ended. Throws HttpError on an invalid response. */
  push(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && this.#state !== ended) {
      switch (this.#state) {
        case inChunk:
        case inLength:
          at = this.#readCounted(bytes, at, end);
          break;
        case inChunkLine:
          at = this.#readChunkLine(bytes, at, end);
          break;
        case afterChunk:
          at = this.#readChunkEnd(bytes, at, end);
          break;
        case untilClose:
          this.#sink.onBody(bytes, at, end);
          at = end;
          break;
        case inHead:
          at = this.#readHead(bytes, at, end);
          break;
        default:
          at = this.#readTrailer(bytes, at, end);
      }
    }
    return at;
  }

  /** The other side sends no more. True if that completes the answer, or it was complete. */
  finish(): boolean {
    if (this.#state === ended) return true;
    if (this.#state !== untilClose) return false;
    this.#end();
    return true;
  }

  #end(): void {
    this.#state = ended;
    this.#sink.onEnd();
  }

  #readCounted(bytes: Buffer, at: number, end: number): number {
    const upTo = Math.min(end, at + this.#left);
    this.#left -= upTo - at;
    const isLast = this.#left === 0;
    const state = this.#state;
    this.#sink.onBody(bytes, at, upTo);
    // The sink may have stopped us.
    if (isLast && this.#state === state) {
      if (state === inLength) this.#end();
      else this.#state = afterChunk;
    }
    return upTo;
  }

  #readChunkLine(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === lf) {
        if (this.#chunkDigits === 0) throw new HttpError('a chunk has no size');
        this.#isInExtension = false;
        this.#chunkDigits = 0;
        this.#lineBytes = 0;
        this.#state = this.#left === 0 ? inTrailer : inChunk;
        return at + 1;
      }
      if (++this.#lineBytes > chunkLineBytesMax) throw new HttpError('the line before a chunk is too long');
      if (this.#isInExtension || byte === cr) continue;
      const digit = hexDigit(byte);
      if (digit >= 0) {
        this.#left = this.#left * 16 + digit;
        this.#chunkDigits++;
        if (this.#left > chunkBytesMax) throw new HttpError('a chunk is too large');
      } else if (byte === semicolon || byte === 32 || byte === 9) this.#isInExtension = true;
      else throw new HttpError('the size of a chunk is not a hexadecimal number');
    }
    return end;
  }

  #readChunkEnd(bytes: Buffer, at: number, end: number): number {
    let next = at;
    if (bytes[next] === cr) next++;
    if (next >= end) return end;
    if (bytes[next] !== lf) throw new HttpError('a chunk is longer than its size');
    this.#beginChunk();
    return next + 1;
  }

  #beginChunk(): void {
    this.#state = inChunkLine;
    this.#left = 0;
    this.#chunkDigits = 0;
    this.#lineBytes = 0;
  }

  #readTrailer(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (byte === lf) {
        if (this.#lineBytes === 0) {
          this.#end();
          return at + 1;
        }
        this.#lineBytes = 0;
      } else if (byte !== cr && ++this.#lineBytes > headBytesMax) throw new HttpError('a trailer is too long');
    }
    return end;
  }

  #readHead(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (byte === lf) {
        const isBlank = this.#lineBytes === 0;
        this.#lineBytes = 0;
        // An empty line before the status line is left over from the answer before.
        if (!isBlank || (this.#head.trim() === '' && bytes.toString('latin1', start, at).trim() === '')) continue;
        const text = this.#head + bytes.toString('latin1', start, at);
        this.#head = '';
        this.#onHead(text.trim());
        return at + 1;
      }
      if (byte !== cr) this.#lineBytes++;
    }
    this.#head += bytes.toString('latin1', start, end);
    if (this.#head.length > headBytesMax) throw new HttpError(`the headers are longer than ${headBytesMax} bytes`);
    return end;
  }

  #onHead(text: string): void {
    if (text.length > headBytesMax) throw new HttpError(`the headers are longer than ${headBytesMax} bytes`);
    const { head, isHttp10 } = parseHead(text);
    if (head.status === 101) throw new HttpError('the server switches to another protocol');
    if (head.status < 200) return;
    const connection = head.headers.connection?.toLowerCase() ?? '';
    this.#keepsAlive = isHttp10 ? connection.includes('keep-alive') : !/\bclose\b/.test(connection);
    // A compressed transfer coding is for the sink to refuse: it sees the headers.
    const codings = (head.headers['transfer-encoding'] ?? '').toLowerCase();
    if (codings !== '' && !codings.endsWith('chunked'))
      throw new HttpError('the response has an unknown transfer coding');
    const length = codings === '' ? parseLength(head.headers['content-length']) : null;
    const isBodiless = head.status === 204 || head.status === 304 || length === 0;
    if (codings !== '') this.#beginChunk();
    else if (length !== null) {
      this.#state = inLength;
      this.#left = length;
    } else {
      this.#state = untilClose;
      this.#keepsAlive = isBodiless && this.#keepsAlive;
    }
    const state = this.#state;
    this.#sink.onHead(head);
    if (isBodiless && this.#state === state) this.#end();
  }
}
