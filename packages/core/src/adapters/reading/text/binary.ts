import { unreadable } from '../../errors.ts';

interface Kind {
  /** With its article: "a PNG picture". */
  name: string;
  /** First bytes, as text in Latin-1. */
  begins: string;
  hint: string;
}

const typeOff =
  'Copy the text from the terminal, or send the JSON or CSV file that the tool wrote. Pictures are not supported.';
const copyOut = 'Send the text form: the JSON, CSV or console output that the tool wrote, not a page made of it.';
const unpack = 'Unpack it and send its JSON, CSV or console output, one file at a time.';
const exportIt = 'Export the table as CSV or JSON and send that.';

const kinds: readonly Kind[] = [
  { name: 'a PNG picture', begins: '\x89PNG\r\n', hint: typeOff },
  { name: 'a JPEG picture', begins: '\xff\xd8\xff', hint: typeOff },
  { name: 'a GIF picture', begins: 'GIF8', hint: typeOff },
  { name: 'a WebP picture or another RIFF file', begins: 'RIFF', hint: typeOff },
  { name: 'a BMP picture', begins: 'BM', hint: typeOff },
  { name: 'a TIFF picture', begins: 'II*\0', hint: typeOff },
  { name: 'a TIFF picture', begins: 'MM\0*', hint: typeOff },
  { name: 'a PDF', begins: '%PDF-', hint: copyOut },
  { name: 'a ZIP archive or an office document', begins: 'PK\x03\x04', hint: unpack },
  { name: 'a gzip archive', begins: '\x1f\x8b', hint: unpack },
  { name: 'a Zstandard archive', begins: '\x28\xb5\x2f\xfd', hint: unpack },
  { name: 'an xz archive', begins: '\xfd7zXZ\0', hint: unpack },
  { name: 'a bzip2 archive', begins: 'BZh', hint: unpack },
  { name: 'a 7z archive', begins: '7z\xbc\xaf\x27\x1c', hint: unpack },
  { name: 'a RAR archive', begins: 'Rar!\x1a\x07', hint: unpack },
  { name: 'an SQLite database', begins: 'SQLite format 3\0', hint: exportIt },
  { name: 'a Parquet table', begins: 'PAR1', hint: exportIt },
];
const longest = Math.max(...kinds.map(({ begins }) => begins.length));

/** Offset of the format name in the first header of a tar archive. */
const ustar = { at: 257, word: 'ustar' };

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

/**
 * Throws `ArtifactError` for bytes that begin like pictures, documents and archives, and states the format to send instead.
 * Some of them begin as valid UTF-8, so this runs before decoding.
 */
export function refuseBinary(bytes: Uint8Array): void {
  const head = latin1(bytes.subarray(0, longest));
  const isTar = latin1(bytes.subarray(ustar.at, ustar.at + ustar.word.length)) === ustar.word;
  const kind = isTar
    ? { name: 'a tar archive', hint: unpack }
    : kinds.find(({ begins }) => head.startsWith(begins) && !isText(begins, bytes));
  if (kind === undefined) return;
  throw unreadable(1, 'not_text', `This is ${kind.name}, not text.`, kind.hint);
}

/** A text may begin with the same letters, but has no control characters after them. */
function isText(begins: string, bytes: Uint8Array): boolean {
  if (!/^[\x20-\x7e]+$/.test(begins) || begins.startsWith('%PDF')) return false;
  return !bytes.subarray(0, 64).some((byte) => byte < 9);
}
