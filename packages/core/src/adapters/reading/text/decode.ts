import { unreadable } from '../../errors.ts';
import { refuseBinary } from './binary.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const saveAsUtf8 =
  'Save the file as UTF-8 and send it again. Screenshots, PDFs and archives cannot be read: send the text.';

/** Length of the valid UTF-8 sequence that starts at `at`, 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  // Overlong forms, surrogates and code points above U+10FFFF have well-formed bits but are not valid text.
  if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)) return 0;
  if ((lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f)) return 0;
  return length;
}

function findBrokenByte(bytes: Uint8Array): { offset: number; line: number } {
  let line = 1;
  let offset = 0;
  while (offset < bytes.length) {
    const length = sequenceLength(bytes, offset);
    if (length === 0) break;
    if (bytes[offset] === 0x0a) line++;
    offset += length;
  }
  return { offset, line };
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(
      1,
      'encoding_broken',
      'The file is marked as UTF-16 but has an unpaired surrogate or an incomplete character.',
      saveAsUtf8,
    );
  }
}

/**
 * Decodes bytes to text: UTF-8, or UTF-16 if a byte order mark indicates it (a PowerShell redirect). Byte order marks are
 * dropped. Throws `ArtifactError` with the offset and line of the first invalid byte, the line of a U+0000, or the file
 * format that the first bytes indicate.
 */
export function decodeText(bytes: Uint8Array): string {
  refuseBinary(bytes);
  let text: string;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) text = decodeUtf16(bytes, 'utf-16le');
  else if (bytes[0] === 0xfe && bytes[1] === 0xff) text = decodeUtf16(bytes, 'utf-16be');
  else {
    try {
      text = utf8.decode(bytes);
    } catch {
      const { offset, line } = findBrokenByte(bytes);
      throw unreadable(
        line,
        'encoding_broken',
        `The byte at offset ${offset} (line ${line}) is not UTF-8 text.`,
        saveAsUtf8,
      );
    }
  }
  const nul = text.indexOf('\u0000');
  if (nul >= 0) {
    const line = text.slice(0, nul).split('\n').length;
    const hint = 'If this is UTF-16 without a byte order mark, save it as UTF-8.';
    throw unreadable(line, 'character_refused', `Line ${line} contains the character U+0000.`, hint);
  }
  return text;
}
