import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArtifactError } from '../../errors.ts';
import { toArtifactText } from './artifact-text.ts';
import { refuseBinary } from './binary.ts';

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

function faultOf(bytes: Uint8Array) {
  try {
    toArtifactText(bytes);
  } catch (error) {
    if (error instanceof ArtifactError) return error.faults[0];
    throw error;
  }
  return null;
}

test.each([
  ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'a PNG picture', 'Copy the text from the terminal'],
  ['\xff\xd8\xff\xe0\0\x10JFIF', 'a JPEG picture', 'Copy the text'],
  ['GIF89a\0\x01', 'a GIF picture', 'Copy the text'],
  ['RIFF\x24\0\0\0WEBPVP8 ', 'a WebP picture', 'Copy the text'],
  ['%PDF-1.7\nplain so far', 'a PDF', 'Send the text form'],
  ['PK\x03\x04\x14\0', 'a ZIP archive', 'Unpack it'],
  ['\x1f\x8b\x08\0', 'a gzip archive', 'Unpack it'],
  ['\x28\xb5\x2f\xfd\0', 'a Zstandard archive', 'Unpack it'],
  [`${'result.json'.padEnd(257, '\0')}ustar\x0000`, 'a tar archive', 'Unpack it'],
  ['SQLite format 3\0\x10', 'an SQLite database', 'Export the table'],
  ['PAR1\x15\x04', 'a Parquet table', 'Export the table'],
])('names the file type of %j, and what to send instead', (begins, name, hint) => {
  expect(faultOf(latin1(begins))).toMatchObject({
    code: 'not_text',
    line: 1,
    message: expect.stringContaining(name),
    hint: expect.stringContaining(hint),
  });
});

test.each(['PAR1 was run twice', 'RIFF raff', 'BM25 is no benchmark', 'GIF8 ±', 'PK', ''])(
  'accepts %j as text',
  (text) => {
    expect(faultOf(new TextEncoder().encode(text))).toBeNull();
  },
);

// UTF-16 text may begin with the same bytes as a picture.
test('never rejects text as binary', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      fc.pre(!text.startsWith('%PDF-') && [...text].every((character) => character > '\b'));
      expect(() => refuseBinary(new TextEncoder().encode(text))).not.toThrow();
    }),
  );
});
