import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';
import { decodeText } from '../reading/text/decode.ts';

// Changes that editors, terminals, chats and shells make to a file. Prefixes of log lines are in log-prefixes.test.ts.

const folder = new URL('../../../../../../shared/real-results/', import.meta.url);
const index = new URL('index.json', folder);
const names: string[] = existsSync(index)
  ? (JSON.parse(readFileSync(index, 'utf8')) as { files: { file: string }[] }).files.map(({ file }) => file)
  : [];

const encode = (text: string) => new TextEncoder().encode(text);

function utf16(text: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, isLittle);
  for (let at = 0; at < text.length; at++) view.setUint16(2 + at * 2, text.charCodeAt(at), isLittle);
  return bytes;
}

/** The measurements and their load, or the code of a rejection. */
function figuresOf(bytes: Uint8Array): unknown {
  try {
    return readArtifact(bytes).results.map(({ metrics, load, repeats, scenario, system }) => {
      const { inputTokens, outputTokens, lengths } = scenario;
      return { metrics, load, repeats, inputTokens, outputTokens, lengths, model: system.model, gpu: system.gpu };
    });
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

const files = names.map((name) => {
  const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
  return { name, text: decodeText(bytes), figures: figuresOf(bytes) };
});
const read = files.filter(({ figures }) => typeof figures !== 'string');

const withEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
const lines = (text: string, change: (line: string) => string) => text.split(/\r?\n/).map(change).join('\n');
const bar = 'Benchmark: 42%|████▏     | 42/100 [00:05<00:07,  8.10it/s]';

const mutations: [string, (text: string) => Uint8Array][] = [
  ['CRLF', (text) => encode(text.replaceAll(/\r?\n/g, '\r\n'))],
  ['a byte order mark', (text) => encode(`\ufeff${text}`)],
  ['UTF-16, little-endian', (text) => utf16(text, true)],
  ['UTF-16, big-endian', (text) => utf16(text, false)],
  ['colours', (text) => encode(lines(text, (line) => (line === '' ? line : `\u001b[32m${line}\u001b[0m`)))],
  ['a fence', (text) => encode(`Here it is:\n\n\`\`\`text\n${withEnd(text)}\`\`\`\n`)],
  ['quoting', (text) => encode(lines(text, (line) => `> ${line}`))],
  ['trailing spaces', (text) => encode(lines(text, (line) => `${line}  `))],
  ['a progress bar before it', (text) => encode(`${bar}\r${bar}\n${text}`)],
  ['progress bars before and after it', (text) => encode(`${bar}\r${bar}\n${withEnd(text)}${bar}\r${bar}\n`)],
];

describe.skipIf(files.length === 0)('published files', () => {
  test('are read without errors', () => expect(read.length).toBeGreaterThan(60));

  test.each(mutations)('give the same metrics with %s', (_, change) => {
    const differing = read.filter(
      ({ text, figures }) => JSON.stringify(figuresOf(change(text))) !== JSON.stringify(figures),
    );
    expect(differing.map(({ name }) => name)).toEqual([]);
  });

  // A duplicate record is a repetition. A duplicate printed block is one result.
  test('give the same metrics if sent twice in one artifact', () => {
    const figures = (found: unknown) =>
      Array.isArray(found) ? new Set(found.map(({ metrics }) => JSON.stringify(metrics))) : found;
    const differing = read.filter(({ text, figures: once }) => {
      const twice = figuresOf(encode(`${withEnd(text)}\n${withEnd(text)}`));
      return JSON.stringify([figures(twice)].flat()) !== JSON.stringify([figures(once)].flat());
    });
    expect(differing.map(({ name }) => name)).toEqual([]);
  });
});
