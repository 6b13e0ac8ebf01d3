// CI systems and clusters put a timestamp before every line. This is the most common prefix, so it is removed from the
// bytes. The log is then read as fast as the output alone.

/** `0` matches any digit; every other character matches itself. */
const shape = Uint8Array.from('0000-00-00T00:00:00', (character) => character.charCodeAt(0));

const zero = 0x30;
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= 0x39;
const isHex = (byte: number | undefined) => isDigit(byte) || (byte !== undefined && byte >= 0x61 && byte <= 0x66);
const isLetter = (byte: number | undefined) => byte !== undefined && byte >= 0x61 && byte <= 0x7a;

const newline = 0x0a;
const carriageReturn = 0x0d;
const blank = 0x20;
const plus = 0x2b;
const minus = 0x2d;
const dot = 0x2e;
const colon = 0x3a;
const hash = 0x23;

/** Whether the line, or its visible part in a terminal, ends at an offset. */
const isEnd = (bytes: Uint8Array, at: number) =>
  at >= bytes.length || bytes[at] === newline || bytes[at] === carriageReturn;

/** End of the time zone that begins at `at`; 0 if there is none. */
function zoneEnd(bytes: Uint8Array, at: number): number {
  const sign = bytes[at];
  if (sign === 0x5a) return at + 1;
  if (sign !== plus && sign !== minus) return 0;
  const minutes = bytes[at + 3] === colon ? at + 4 : at + 3;
  const isZone =
    isDigit(bytes[at + 1]) && isDigit(bytes[at + 2]) && isDigit(bytes[minutes]) && isDigit(bytes[minutes + 1]);
  return isZone ? minutes + 2 : 0;
}

/** Position after a group mark, `##[group]`, or `at` if there is none. */
function markEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== hash || bytes[at + 1] !== hash || bytes[at + 2] !== 0x5b) return at;
  let end = at + 3;
  while (end < at + 23 && isLetter(bytes[end])) end++;
  return end > at + 3 && bytes[end] === 0x5d ? end + 1 : at;
}

/** Position after the timestamp at the beginning of a line and GitLab's stream mark (`00O `); 0 if there is none. */
function stampEnd(bytes: Uint8Array, from: number): number {
  const at = bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? from + 3 : from;
  for (let index = 0; index < shape.length; index++) {
    const byte = bytes[at + index];
    if (shape[index] === zero ? !isDigit(byte) : byte !== shape[index]) return 0;
  }
  let end = at + shape.length;
  if (bytes[end] === dot) {
    const digits = end + 1;
    end = digits;
    while (end < digits + 9 && isDigit(bytes[end])) end++;
    if (end === digits) return 0;
  }
  end = zoneEnd(bytes, end);
  if (end === 0 || isEnd(bytes, end)) return end;
  if (bytes[end] !== blank) return 0;
  const stream = end + 3;
  if (isHex(bytes[end + 1]) && isHex(bytes[end + 2]) && (bytes[stream] === 0x4f || bytes[stream] === 0x45)) {
    if (isEnd(bytes, stream + 1)) return stream + 1;
    if (bytes[stream + 1] === blank || bytes[stream + 1] === plus) return stream + 2;
  }
  return markEnd(bytes, end + 1);
}

/** journald writes the machine and the program between the time and the text. */
const journal = /^[\w.-]{1,64} [^\s:[\]]{1,64}\[\d{1,9}\]:(?: |$)/m;
const decoder = new TextDecoder('latin1');

/** Number of first lines that are checked for a log. */
const sampled = 20;
/** Share of all non-blank lines. */
const mostLines = 0.6;

/** Whether one of the first lines has a timestamp and none has journald's. Most artifacts are not logs. */
function beginsAsLog(bytes: Uint8Array): boolean {
  let isLog = false;
  let at = 0;
  for (let line = 0; line < sampled && at < bytes.length; line++) {
    const start = stampEnd(bytes, at);
    if (start > 0) {
      if (journal.test(decoder.decode(bytes.subarray(start, start + 150)))) return false;
      isLog = true;
    }
    const end = bytes.indexOf(newline, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return isLog;
}

/**
 * Bytes without the timestamps of a log by GitHub Actions, GitLab, docker or kubectl. The number of lines stays the same.
 * Null if most lines have no timestamp, and for journald. `isEvery` is true if all non-blank lines had one.
 */
export function withoutTimestamps(bytes: Uint8Array): { bytes: Uint8Array; isEvery: boolean } | null {
  if (!beginsAsLog(bytes)) return null;
  const bare = new Uint8Array(bytes.length);
  let length = 0;
  let filled = 0;
  let stamped = 0;
  for (let at = 0; at < bytes.length; ) {
    const start = stampEnd(bytes, at);
    let highest = 0;
    if (start > 0) {
      stamped++;
      highest = blank + 1;
      at = start;
    }
    while (at < bytes.length) {
      const byte = bytes[at++] as number; // within the bytes
      bare[length++] = byte;
      if (byte === newline) break;
      if (byte > highest) highest = byte;
    }
    if (highest > blank) filled++;
  }
  if (stamped < filled * mostLines) return null;
  return { bytes: bare.subarray(0, length), isEvery: stamped === filled };
}
