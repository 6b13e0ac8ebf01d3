import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import {
  compose,
  each,
  engine,
  github,
  gitlab,
  journal,
  logging,
  logPrefixes,
  pod,
  root0,
  vllm,
  wrapped,
} from '../../testing/log-prefixes.ts';
import { type ArtifactReading, adapters, readArtifact } from '../index.ts';
import { decodeText } from '../reading/text/decode.ts';

// Benchmarks run in CI jobs, containers and clusters, whose logs add a prefix to every line.

const root = new URL('../../../fixtures/', import.meta.url);
const published = new URL('../../../../../../shared/real-results/', import.meta.url);

function filesOf(folder: URL): { name: string; text: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.expected.json') && name !== 'index.json')
    .map((name) => ({ name, text: decodeText(new Uint8Array(readFileSync(new URL(name, folder)))) }));
}

const encode = (text: string) => new TextEncoder().encode(text);

function read(text: string): ArtifactReading | DomainError {
  try {
    return readArtifact(encode(text));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** The measurements and their conditions. */
function figuresOf(reading: ArtifactReading | DomainError) {
  if (reading instanceof DomainError) return [reading.code, reading.faults[0]?.message];
  return reading.results.map(({ metrics, load, repeats, scenario, system }) => {
    const { inputTokens, outputTokens, lengths } = scenario;
    return { metrics, load, repeats, inputTokens, outputTokens, lengths, model: system.model, gpu: system.gpu };
  });
}

const files = [...adapters.map(({ id }) => new URL(`${id}/`, root)), published]
  .flatMap((folder) =>
    filesOf(folder).map(({ name, text }) => ({ name: `${folder.pathname.split('/').at(-2)}/${name}`, text })),
  )
  .map((file) => ({ ...file, bare: read(file.text) }))
  .filter(({ bare }) => !(bare instanceof DomainError));

/** Each file with every third prefix; `npm run test:fresh` reads it with all. */
const share = process.env.TEST_RUNS === undefined ? 3 : 1;

describe.each(logPrefixes.map(([name, make], at) => [name, make, at] as const))(
  'with the prefix of %s',
  (_, make, at) => {
    test('files give the same metrics', () => {
      expect(files.length).toBeGreaterThan(150);
      const some = files.filter((_file, place) => place % share === at % share);
      const differing = some.filter(({ text, bare }) => {
        const figures = figuresOf(read(wrapped(text, make)));
        return JSON.stringify(figures) !== JSON.stringify(figuresOf(bare));
      });
      expect(differing.map(({ name }) => name)).toEqual([]);
    });
  },
);

const block = files.find(({ name }) => name === 'vllm-bench-serve/0.5-old-labels.txt')?.text.trimEnd() ?? '';

// The program ts prints the time alone, and "Successful requests:" then looks like journald's host and program.
const clocks = ['Jan 02 03:04:05 ', '[03:04:05] ', '[03:04:05.123] ', '2026-01-02 03:04:05 ', '03:04:05 '];
test.each(clocks)('reads a block after %j', (time) => {
  const timed = block.split('\n').map((line) => `${time}${line}`);
  expect(figuresOf(read(timed.join('\n')))).toEqual(figuresOf(read(block)));
});

// Most of its lines look like those of journald: "total duration:", "eval rate:".
test.each(clocks)("reads Ollama's figures after %j", (time) => {
  const lines = [
    'total duration:       3.2s',
    'load duration:        61.7ms',
    'prompt eval count:    120 token(s)',
    'prompt eval duration: 250ms',
    'prompt eval rate:     480.00 tokens/s',
    'eval count:           300 token(s)',
    'eval duration:        2.88s',
    'eval rate:            104.17 tokens/s',
  ];
  const reading = read(lines.map((line) => `${time}${line}`).join('\n'));
  expect(reading).toMatchObject({ results: [{ metrics: { decode_tok_s: 104.17, e2e_ms_mean: 3138.3 } }] });
});

test('reports line numbers of the lines as sent', () => {
  const lines = each(github)(['a', 'b', ...block.split('\n')]);
  const reading = read(lines.join('\n'));
  const bare = read(['a', 'b', ...block.split('\n')].join('\n'));
  if (reading instanceof DomainError || bare instanceof DomainError) throw new Error('was refused');
  expect(reading.results.map((result) => result.lines)).toEqual(bare.results.map((result) => result.lines));
  expect(reading.mediaType).toBe('text/plain');
  const broken = read(each(github)(['a', '{"num_prompts": 3,', 'x']).join('\n'));
  expect(broken).toMatchObject({ faults: expect.arrayContaining([expect.objectContaining({ line: 2 })]) });
});

// https://github.com/yiliu30/vllm-fork, a script that has its results as comments.
test('reads a report of which every line is a comment of a script', () => {
  const comments = block.replaceAll(/^(?=.)/gm, '# ');
  expect(figuresOf(read(`${comments}\n`))).toEqual(figuresOf(read(block)));
});

test('reads one line of JSON after a prefix', () => {
  const record =
    '{"run_name": "a", "batch_size": 1, "input_len": 8, "output_len": 8, "latency": 1, "output_throughput": 8, "overall_throughput": 16}';
  const bare = figuresOf(read(record));
  for (const wrap of [github, gitlab, compose, pod, journal, root0, logging, vllm, engine])
    expect(figuresOf(read(wrap(record, 0)))).toEqual(bare);
  expect(read(github(record, 0))).toMatchObject({ mediaType: 'text/plain' });
});

// A log may contain lines that are not JSON without their prefixes, and a complete report.
test('reads the lines as sent if reading without prefixes fails', () => {
  const requests = ['{"prompt": "cut', '{"prompt": "cut', '{"prompt": "cut'].map(vllm);
  const reading = read([...requests, block].join('\n'));
  expect(figuresOf(reading)).toEqual(figuresOf(read(block)));
});

test.each([
  ['a table without borders', 'model | size | t/s\nllama | 5 GiB | 12\nllama | 5 GiB | 13\nllama | 5 GiB | 14\n'],
  ['few numbered lines', `0: first\n1: second\n${'text\n'.repeat(20)}`],
  ['a few quoted lines', `> quoted\n> quoted\n> quoted\n${'text\n'.repeat(20)}`],
  ['two lines of a log', `${github('a', 0)}\n${github('b', 1)}\n${'text\n'.repeat(20)}`],
])('keeps %s unchanged', (_, text) => {
  const error = read(text);
  const first = text.split('\n')[0];
  expect(error).toMatchObject({
    faults: expect.arrayContaining([expect.objectContaining({ message: `The artifact begins with: ${first}` })]),
  });
});

test.each(logPrefixes)('reads 2 MiB with the prefix of %s in time', (_, make) => {
  const piece = `${make('Some line of a log with words and 12.5 figures\n'.repeat(1000).split('\n')).join('\n')}\n`;
  const text = piece.repeat(Math.ceil(2 ** 21 / piece.length)).slice(0, 2 ** 21);
  expect(read(text)).toBeInstanceOf(DomainError);
});
