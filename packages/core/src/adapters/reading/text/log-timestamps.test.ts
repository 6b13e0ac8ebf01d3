import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArtifactError } from '../../errors.ts';
import { toArtifactText } from './artifact-text.ts';
import { withoutTimestamps } from './log-timestamps.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function bare(text: string): [string, boolean] | null {
  const log = withoutTimestamps(encode(text));
  return log === null ? null : [new TextDecoder('utf-8', { ignoreBOM: true }).decode(log.bytes), log.isEvery];
}

const time = '2026-01-02T03:04:05';

test.each([
  [`${time}Z a`, 'a'],
  [`${time}.1234567Z a`, 'a'],
  [`${time}.123456789Z   a`, '  a'],
  [`${time}+00:00 a`, 'a'],
  [`${time}-0730 a`, 'a'],
  [`\uFEFF${time}Z a`, 'a'],
  [`${time}Z`, ''],
  [`${time}Z \n\n${time}Z a\n`, '\n\na\n'],
  [`${time}Z\r\n${time}Z a\r\n`, '\r\na\r\n'],
  [`${time}Z 10%\r20%`, '10%\r20%'],
  [`${time}Z 00O a`, 'a'],
  [`${time}Z 01E+a`, 'a'],
  [`${time}Z 00O\n${time}Z 00O a`, '\na'],
  [`${time}Z 00Output`, '00Output'],
  [`${time}Z ##[group]a`, 'a'],
  [`${time}Z ##[]a`, '##[]a'],
  [`${time}Z ä\u2028b`, 'ä\u2028b'],
  [`${time}Z ${time}Z a`, `${time}Z a`],
])('removes the timestamps of %j: %j', (text, expected) => {
  expect(bare(text)).toEqual([expected, true]);
});

test.each([
  'a',
  '',
  `${time} a`,
  `${time}Za`,
  `${time}.Z a`,
  `${time}.1234567890Z a`,
  `${time}+0 a`,
  `2026-01-02 03:04:05Z a`,
  `2026-1-02T03:04:05Z a`,
  `${time}Z node7 bench[123]: a`,
  `${time}Z a\nb\nc`,
  `${'a\n'.repeat(21)}${`${time}Z a\n`.repeat(80)}`,
])('does not read %j as a log with timestamps', (text) => {
  expect(bare(text)).toBeNull();
});

test('keeps lines without a timestamp between lines with one', () => {
  expect(bare(`head\n${time}Z a\n\n${time}Z b\n${time}Z c\ntail`)).toEqual(['head\na\n\nb\nc\ntail', false]);
});

test('restores any lines from a log', () => {
  const line = fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((text) => !text.includes('\n') && !text.startsWith('##['));
  const written = fc.array(fc.tuple(line, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(written, (lines) => {
      const log = lines.map(([text, digits]) => `${time}.${'1'.repeat(digits)}Z ${text}`).join('\n');
      expect(bare(log)).toEqual([lines.map(([text]) => text).join('\n'), true]);
    }),
  );
});

function faultsOf(bytes: Uint8Array) {
  try {
    toArtifactText(bytes);
  } catch (error) {
    if (error instanceof ArtifactError) return error.faults;
  }
  return [];
}

test('reports locations in the text as sent', () => {
  const broken = Uint8Array.from([...encode(`${time}Z a\n${time}Z b`), 0xb1]);
  expect(faultsOf(broken)[0]).toMatchObject({ code: 'encoding_broken', line: 2 });
  expect(faultsOf(broken)[0]?.message).toContain(`offset ${broken.length - 1} `);
  const secret = encode(`${time}Z a\n${time}Z sk-abcdefghijklmnopqrstuvwxyz0123456789\n`);
  expect(faultsOf(secret)[0]).toMatchObject({ code: 'credential_found', line: 2 });
  expect(faultsOf(encode(`${time}Z a\n${time}Z b\u0000`))[0]).toMatchObject({ code: 'character_refused', line: 2 });
});

test('does not detect another file type in content after a timestamp', () => {
  expect(toArtifactText(encode(`${time}Z %PDF-1.7\n${time}Z b`)).lines).toEqual(['%PDF-1.7', 'b']);
});

test('keeps the lines as sent', () => {
  const sent = [`${time}Z a`, '', `${time}Z ##[group]b`];
  const artifact = toArtifactText(encode(`${sent.join('\n')}\n`));
  expect(artifact.lines).toEqual(['a', '', 'b', '']);
  expect(artifact.prefixed?.lines).toEqual([...sent, '']);
});
