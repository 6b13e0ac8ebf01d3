import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import type { ParsedResult } from '../adapter.ts';
import { adapters, readArtifact } from '../index.ts';

// A partially copied log may end anywhere: in a number, in a word, in the middle of a table.

const root = new URL('../../../fixtures/', import.meta.url);
const published = new URL('../../../../../../shared/real-results/', import.meta.url);

function readOrNull(bytes: Uint8Array): ParsedResult[] | null {
  try {
    return readArtifact(bytes).results;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

const folders = [...adapters.map(({ id }) => new URL(`${id}/`, root)), published].filter((folder) =>
  existsSync(folder),
);
const files = folders
  .flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
  .filter(({ pathname }) => !pathname.endsWith('.expected.json') && !pathname.endsWith('/index.json'))
  .map((url) => ({ name: url.pathname.split('/').slice(-2).join('/'), bytes: new Uint8Array(readFileSync(url)) }))
  .flatMap(({ name, bytes }) => {
    const results = readOrNull(bytes);
    return results === null ? [] : [{ name, bytes, results: results.map(figuresOf) }];
  });

/** All measurements and their load. */
function figuresOf({ metrics, load, repeats, scenario }: ParsedResult): Record<string, unknown> {
  const { inputTokens, outputTokens, lengths } = scenario;
  const spread = Object.entries(repeats?.sd ?? {}).map(([name, value]) => [`sd of ${name}`, value]);
  return {
    ...metrics,
    ...Object.fromEntries(spread),
    load: load?.level,
    repeats: repeats?.n,
    input: inputTokens?.value ?? lengths?.inputTokens,
    output: outputTokens?.value ?? lengths?.outputTokens,
  };
}

/** Notes that mark a partial result. Records of single requests always have one, because nothing states their number. */
const marks = new Set(['truncated', 'interrupted', 'requests_uncounted']);
const isMarked = ({ notes }: ParsedResult) => notes.some(({ code }) => marks.has(code));

/** Results of a truncated file with a figure that the whole file does not have. */
function findChanged(results: readonly ParsedResult[], whole: readonly Record<string, unknown>[]): ParsedResult[] {
  const isPart = (part: Record<string, unknown>, all: Record<string, unknown>) =>
    Object.entries(part).every(([name, value]) => value == null || all[name] === value);
  return results.filter((result) => !isMarked(result) && !whole.some((all) => isPart(figuresOf(result), all)));
}

test('never gives a wrong figure for a truncated file', () => {
  expect(files.length).toBeGreaterThan(150);
  fc.assert(
    fc.property(fc.constantFrom(...files), fc.double({ min: 0, max: 1, noNaN: true }), ({ bytes, results }, share) => {
      const cut = bytes.slice(0, Math.floor(share * bytes.length));
      expect(findChanged(readOrNull(cut) ?? [], results)).toEqual([]);
    }),
    { numRuns: Number(process.env.TEST_CUTS ?? 1000) },
  );
});

/** Cuts of small files: every third and the last ones, which cause the most errors; with `npm run test:fresh` all. */
const [every, always] = process.env.TEST_CUTS === undefined ? [3, 100] : [1, 0];

describe.each(files.filter(({ bytes }) => bytes.length < 1200))('$name', ({ bytes, results }) => {
  test('gives no wrong figure, wherever it is truncated', () => {
    const changed = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
      .filter((length) => length % every === 0 || length > bytes.length - always)
      .filter((length) => findChanged(readOrNull(bytes.slice(0, length)) ?? [], results).length > 0);
    expect(changed).toEqual([]);
  });
});

const block = (last: string) =>
  `Successful requests: 100\nBenchmark duration: 10.00 s\nRequest throughput: 10.00 requests/s\nMean TTFT: 20.50 ms\nMedian TTFT: 20.10 ms\nP99 TTFT: ${last}`;

test.each([
  ['without a unit is omitted', block('30'), undefined],
  ['with a unit is read', block('30 ms'), 30],
  ['with a unit and a line end is read', `${block('30 ms')}\n`, 30],
])('a number at the end %s', (_, text, expected) => {
  const [result] = readOrNull(new TextEncoder().encode(text)) ?? [];
  expect(result?.metrics.ttft_ms_mean).toBe(20.5);
  expect(result?.metrics.ttft_ms_p99).toBe(expected);
  const isReported = result?.notes.some(({ code }) => code === 'value_cut') ?? false;
  expect(isReported).toBe(expected === undefined);
});

test('reads the last row of a table only if all its numbers have the same number of decimals', () => {
  const table = (last: string) =>
    `attention-fwd: (ms)\n    N_CTX    Triton\n0  1024.0  0.123456\n1  2048.0  0.234567\n2  4096.0  ${last}`;
  const encode = (text: string) => new TextEncoder().encode(text);
  expect(readOrNull(encode(table('0.345678')))).toHaveLength(3);
  expect(readOrNull(encode(table('0.34567')))).toBeNull();
  expect(readOrNull(encode(table('0.34567\n')))).toBeNull();
  expect(readOrNull(encode(table('0.345678\n')))).toHaveLength(3);
});
