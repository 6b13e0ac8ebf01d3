/** Recognises whole events that need no parsing. */
export interface EventMatcher {
  /** Where the event that begins at `start` ends, blank line included; -1 where it must be read in full. */
  match(bytes: Buffer, start: number, end: number): number;
}

export interface EventSink {
  /**
   * The data of an event, lines joined by a line feed, at `start` to `end`. `rawStart` to `rawEnd` is the event as it
   * was sent, including its blank line; `rawStart` is -1 if it was not in one piece or had more than one line.
   * The bytes are valid only during the call.
   */
  onEvent(bytes: Buffer, start: number, end: number, rawStart: number, rawEnd: number): void;
  onComment(): void;
  /** The field `error`, which old llama.cpp servers use in place of `data`. */
  onErrorField(bytes: Buffer, start: number, end: number): void;
  /** An event is larger than the cap. Nothing follows. */
  onOversize(): void;
}

const lf = 10;
const cr = 13;
const colon = 58;
const space = 32;
const byteOrderMark = [0xef, 0xbb, 0xbf] as const;
const dataField = Buffer.from('data');
const errorField = Buffer.from('error');

function isField(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let at = 0; at < name.length; at++) if (bytes[start + at] !== name[at]) return false;
  return true;
}

/** Bytes that grow at the end. */
class Pile {
  bytes: Buffer = Buffer.alloc(0);
  length = 0;

  add(from: Buffer, start: number, end: number): void {
    const length = this.length + end - start;
    if (length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(1024, 2 * length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    from.copy(this.bytes, this.length, start, end);
    this.length = length;
  }

  addByte(byte: number): void {
    this.add(Buffer.of(byte), 0, 1);
  }
}

/**
 * Reads server-sent events as WHATWG frames them, from pieces cut anywhere: lines end in LF, CRLF or CR, a byte order
 * mark may come first, the space after the colon is optional. No string is created. An event is reported in the call
 * that receives the end of its blank line. An event that the stream cuts is ignored.
 */
export class EventStreamReader {
  readonly #sink: EventSink;
  readonly #matcher: EventMatcher;
  readonly #eventBytesMax: number;
  /** The beginning of a line whose end has not come. */
  readonly #line = new Pile();
  /** Data of an event whose end has not come. */
  readonly #data = new Pile();
  #dataLines = 0;
  #skipsLf = false;
  /** Bytes of the mark seen so far; 3 once it can no longer come. */
  #markBytes = 0;
  #isStopped = false;

  constructor(sink: EventSink, matcher: EventMatcher, eventBytesMax: number) {
    this.#sink = sink;
    this.#matcher = matcher;
    this.#eventBytesMax = eventBytesMax;
  }

  reset(): void {
    this.#line.length = 0;
    this.#data.length = 0;
    this.#dataLines = 0;
    this.#skipsLf = false;
    this.#markBytes = 0;
    this.#isStopped = false;
  }

  /** Reports no further events. */
  stop(): void {
    this.#isStopped = true;
  }

  push(bytes: Buffer, start: number, end: number): void {
    let at = start;
    if (this.#markBytes < 3) at = this.#skipMark(bytes, at, end);
    while (at < end && !this.#isStopped) {
      if (this.#skipsLf) {
        this.#skipsLf = false;
        if (bytes[at] === lf) {
          at++;
          continue;
        }
      }
      if (this.#line.length === 0 && this.#dataLines === 0) {
        const next = this.#matcher.match(bytes, at, end);
        if (next > 0) {
          at = next;
          continue;
        }
      }
      at = this.#readLine(bytes, at, end);
    }
  }

  #skipMark(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && this.#markBytes < 3) {
      if (bytes[at] !== byteOrderMark[this.#markBytes]) {
        for (let known = 0; known < this.#markBytes; known++) this.#line.addByte(byteOrderMark[known] ?? 0);
        this.#markBytes = 3;
        return at;
      }
      this.#markBytes++;
      at++;
    }
    return at;
  }

  /** Reads to the end of the line, and past the blank line after it where that ends the event. */
  #readLine(bytes: Buffer, start: number, end: number): number {
    let eol = start;
    while (eol < end && bytes[eol] !== lf && bytes[eol] !== cr) eol++;
    if (this.#line.length + this.#data.length + eol - start > this.#eventBytesMax) {
      this.#isStopped = true;
      this.#sink.onOversize();
      return end;
    }
    if (eol === end) {
      this.#line.add(bytes, start, end);
      return end;
    }
    const next = this.#pastEol(bytes, eol, end);
    if (this.#line.length > 0) {
      this.#line.add(bytes, start, eol);
      const { length } = this.#line;
      this.#line.length = 0;
      this.#onLine(this.#line.bytes, 0, length);
      return next;
    }
    if (this.#dataLines === 0) {
      const past = this.#readWhole(bytes, start, eol, next, end);
      if (past > 0) return past;
    }
    this.#onLine(bytes, start, eol);
    return next;
  }

  /** After the line end at `eol`. A CR that ends the piece may still be half of a CRLF. */
  #pastEol(bytes: Buffer, eol: number, end: number): number {
    if (bytes[eol] === lf) return eol + 1;
    if (eol + 1 === end) {
      this.#skipsLf = true;
      return end;
    }
    return bytes[eol + 1] === lf ? eol + 2 : eol + 1;
  }

  /** The usual event, one line of data and a blank one, if both are in this piece: reported without a copy. */
  #readWhole(bytes: Buffer, start: number, eol: number, next: number, end: number): number {
    if (next >= end || (bytes[next] !== lf && bytes[next] !== cr)) return -1;
    const value = this.#dataValue(bytes, start, eol);
    if (value < 0) return -1;
    const past = this.#pastEol(bytes, next, end);
    this.#sink.onEvent(bytes, value, eol, start, past);
    return past;
  }

  /** Where the value of a line of data begins; -1 for any other line. */
  #dataValue(bytes: Buffer, start: number, eol: number): number {
    const colonAt = start + dataField.length;
    if (eol < colonAt || !isField(bytes, start, colonAt, dataField)) return -1;
    if (eol === colonAt) return eol;
    if (bytes[colonAt] !== colon) return -1;
    return colonAt + 1 < eol && bytes[colonAt + 1] === space ? colonAt + 2 : colonAt + 1;
  }

  #onLine(bytes: Buffer, start: number, end: number): void {
    if (start === end) {
      if (this.#dataLines > 0) {
        const { length } = this.#data;
        this.#data.length = 0;
        this.#dataLines = 0;
        this.#sink.onEvent(this.#data.bytes, 0, length, -1, -1);
      }
      return;
    }
    if (bytes[start] === colon) {
      this.#sink.onComment();
      return;
    }
    const value = this.#dataValue(bytes, start, end);
    if (value >= 0) {
      if (this.#dataLines > 0) this.#data.addByte(lf);
      this.#dataLines++;
      this.#data.add(bytes, value, end);
    } else if (bytes[start + errorField.length] === colon) {
      const colonAt = start + errorField.length;
      if (isField(bytes, start, colonAt, errorField)) this.#sink.onErrorField(bytes, colonAt + 1, end);
    }
  }
}
