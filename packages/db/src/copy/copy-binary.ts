import { Buffer } from 'node:buffer';
import type { Row } from '../connection/rows.ts';

/** A buffer that grows on demand. */
interface Out {
  bytes: Buffer;
  at: number;
}

/** Writes a value's length and bytes in PostgreSQL's binary COPY format. */
type Put = (out: Out, value: unknown) => void;

/** Header of the binary COPY format: signature, no flags, no extension. */
export const copyHead = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** Trailer of the binary COPY format, in place of a field count. */
export const copyTail = Buffer.from([0xff, 0xff]);

function reserve(out: Out, length: number): void {
  if (out.at + length <= out.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(out.bytes.length * 2, out.at + length));
  out.bytes.copy(larger, 0, 0, out.at);
  out.bytes = larger;
}

function putInt32(out: Out, value: number): void {
  out.bytes.writeInt32BE(value, out.at);
  out.at += 4;
}

/** Up to this many characters, a loop is faster than a native call. */
const shortText = 24;

function putCharacters(out: Out, text: string): void {
  reserve(out, text.length * 3);
  const { bytes, at } = out;
  if (text.length <= shortText) {
    let place = 0;
    for (; place < text.length; place += 1) {
      const code = text.charCodeAt(place);
      if (code > 127) break;
      bytes[at + place] = code;
    }
    if (place === text.length) {
      out.at += place;
      return;
    }
  }
  out.at += bytes.write(text, at, 'utf8');
}

/** Writes text with a length prefix, which is known only afterwards. `mark` is an optional first byte. */
function putText(out: Out, text: string, mark?: number): void {
  reserve(out, 5);
  const start = out.at;
  out.at += 4;
  if (mark !== undefined) out.bytes[out.at++] = mark;
  putCharacters(out, text);
  out.bytes.writeInt32BE(out.at - start - 4, start);
}

/** jsonb format version 1: the document's text. */
const documentVersion = 1;

const textType = 25;

function putTexts(out: Out, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError('expected an array');
  reserve(out, 24);
  const start = out.at;
  out.at += 4;
  // Number of dimensions, null flag, element type.
  for (const number of [value.length === 0 ? 0 : 1, 0, textType]) putInt32(out, number);
  if (value.length > 0) {
    putInt32(out, value.length);
    // Array indexes start at 1.
    putInt32(out, 1);
  }
  for (const item of value) putText(out, String(item));
  out.bytes.writeInt32BE(out.at - start - 4, start);
}

const integers = (bits: 16 | 32): Put => {
  const limit = 2 ** (bits - 1);
  return (out, value) => {
    if (!Number.isInteger(value) || Math.abs(Number(value)) >= limit) {
      throw new RangeError(`expected an integer of ${bits} bits, got ${value}`);
    }
    putInt32(out, bits / 8);
    out.at =
      bits === 16 ? out.bytes.writeInt16BE(Number(value), out.at) : out.bytes.writeInt32BE(Number(value), out.at);
  };
};

/** Milliseconds from 1970 to 2000, PostgreSQL's epoch. */
const epoch_ms = 946_684_800_000n;

/** An instant in microseconds. Preserves digits beyond milliseconds, which Date drops. */
function microsecondsOf(instant: string): bigint {
  const [, fraction = ''] = /\.(\d+)/.exec(instant) ?? [];
  const wholeSeconds = Date.parse(instant.replace(/\.\d+/, ''));
  if (Number.isNaN(wholeSeconds)) throw new RangeError(`expected a timestamp, got ${instant}`);
  return (BigInt(wholeSeconds) - epoch_ms) * 1000n + BigInt(Math.round(Number(`0.${fraction || '0'}`) * 1e6));
}

const puts: Readonly<Record<string, Put>> = {
  text: (out, value) => putText(out, String(value)),
  'text[]': putTexts,
  bytea: (out, value) => {
    if (!(value instanceof Uint8Array)) throw new TypeError('expected bytes');
    reserve(out, value.length + 4);
    putInt32(out, value.length);
    out.bytes.set(value, out.at);
    out.at += value.length;
  },
  jsonb: (out, value) => putText(out, JSON.stringify(value), documentVersion),
  'double precision': (out, value) => {
    putInt32(out, 8);
    // Normalizes -0, which JSON rows cannot contain.
    out.at = out.bytes.writeDoubleBE(Number(value) + 0, out.at);
  },
  boolean: (out, value) => {
    putInt32(out, 1);
    out.at = out.bytes.writeUInt8(value === true ? 1 : 0, out.at);
  },
  smallint: integers(16),
  integer: integers(32),
  bigint: (out, value) => {
    putInt32(out, 8);
    out.at = out.bytes.writeBigInt64BE(BigInt(value as number), out.at);
  },
  'timestamp with time zone': (out, value) => {
    putInt32(out, 8);
    out.at = out.bytes.writeBigInt64BE(microsecondsOf(String(value)), out.at);
  },
};

/** Returns the encoder for a SQL type. Throws for types without one. */
export function putterOf(type: string): Put {
  return (
    puts[type] ??
    (() => {
      throw new TypeError(`Unsupported COPY type: ${type}`);
    })
  );
}

/** Bytes for one fixed-size value and the field count. */
const fieldBytesMax = 12;

/**
 * Encodes rows in the binary COPY format, in which a number takes eight bytes and needs no decimal conversion. A value that a
 * row lacks is null.
 *
 * @param columns names in the order of the statement, each with its encoder from `putterOf`
 * @throws TypeError, RangeError for a value that the column cannot hold
 */
export function toBinary(columns: readonly (readonly [name: string, put: Put])[], rows: readonly Row[]): Buffer {
  const out: Out = { bytes: Buffer.allocUnsafeSlow(4096 * Math.max(1, rows.length)), at: 0 };
  for (const row of rows) {
    reserve(out, fieldBytesMax);
    out.at = out.bytes.writeInt16BE(columns.length, out.at);
    for (const [name, put] of columns) {
      reserve(out, fieldBytesMax);
      const value = row[name];
      if (value === null || value === undefined) putInt32(out, -1);
      else put(out, value);
    }
  }
  return out.bytes.subarray(0, out.at);
}
