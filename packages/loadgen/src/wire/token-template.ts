const quote = 34;
const backslash = 92;
const letterU = 117;

/** What may follow a backslash in a JSON string, save for `u`. */
const escapes = new Set(Buffer.from('"\\/bfnrt'));

function isHex(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 48 && byte <= 57) || ((byte | 32) >= 97 && (byte | 32) <= 102));
}

/** After the escape whose backslash is at `at`; -1 where it is none, or does not end before `end`. */
function pastEscape(bytes: Buffer, at: number, end: number): number {
  const byte = bytes[at + 1];
  if (at + 1 >= end || byte === undefined) return -1;
  if (byte !== letterU) return escapes.has(byte) ? at + 2 : -1;
  if (at + 6 > end) return -1;
  for (let digit = 2; digit < 6; digit++) if (!isHex(bytes[at + digit])) return -1;
  return at + 6;
}

/** Where the JSON string whose first character is at `start` has its closing quote; -1 if none does before `end`. */
export function findStringEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) return at;
    if (byte < 32) return -1;
    if (byte === backslash) {
      at = pastEscape(bytes, at, end);
      if (at < 0) return -1;
    } else at++;
  }
  return -1;
}

/** Where the value of a key begins that occurs once and is a non-empty string, just past its opening quote; else -1. */
function findOnlyValue(bytes: Buffer, start: number, end: number, key: string): number {
  const needle = Buffer.from(`"${key}":`);
  const keyAt = bytes.indexOf(needle, start);
  if (keyAt < 0 || keyAt >= end) return -1;
  const another = bytes.indexOf(needle, keyAt + needle.length);
  if (another >= 0 && another < end) return -1;
  let at = keyAt + needle.length;
  if (bytes[at] === 32) at++;
  return bytes[at] === quote && bytes[at + 1] !== quote ? at + 1 : -1;
}

/**
 * The bytes around the text of one event that was read in full and found to bring text and nothing else. Another event
 * of the stream that has the same bytes around a valid, non-empty JSON string differs only in that text: it is
 * one more chunk, and needs no parsing. Prefix and suffix are both compared, so that an error, a finish reason or a
 * broken end is never taken for a token.
 */
export class TokenTemplate {
  #prefix: Buffer = Buffer.alloc(0);
  #suffix: Buffer = Buffer.alloc(0);

  forget(): void {
    this.#prefix = Buffer.alloc(0);
  }

  /** Learns from the raw event `start` to `end`, including the blank line. False if the text cannot be located. */
  learn(bytes: Buffer, start: number, end: number, key: string): boolean {
    const valueAt = findOnlyValue(bytes, start, end, key);
    if (valueAt < 0) return false;
    const valueEnd = findStringEnd(bytes, valueAt, end);
    if (valueEnd < 0) return false;
    this.#prefix = Buffer.from(bytes.subarray(start, valueAt));
    this.#suffix = Buffer.from(bytes.subarray(valueEnd, end));
    return true;
  }

  /** Where the event that begins at `start` ends if it fits; else -1. */
  match(bytes: Buffer, start: number, end: number): number {
    const prefix = this.#prefix;
    const suffix = this.#suffix;
    const valueAt = start + prefix.length;
    if (prefix.length === 0 || valueAt + suffix.length >= end) return -1;
    // From the back: the differences between events of one stream are near the text.
    for (let at = prefix.length - 1; at >= 0; at--) if (bytes[start + at] !== prefix[at]) return -1;
    const valueEnd = findStringEnd(bytes, valueAt, end);
    const past = valueEnd + suffix.length;
    if (valueEnd <= valueAt || past > end) return -1;
    for (let at = 0; at < suffix.length; at++) if (bytes[valueEnd + at] !== suffix[at]) return -1;
    return past;
  }
}
