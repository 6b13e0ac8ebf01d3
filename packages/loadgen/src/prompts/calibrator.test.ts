import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CalibrationError } from './calibration-error.ts';
import { createCalibrator } from './calibrator.ts';
import { composeText } from './compose.ts';
import { promptWords } from './words.ts';

type Tokenizer = (text: string) => number;

/** Like the tokenizer of GPT-2: words with their space, runs of digits, single other characters. */
const pieces = (text: string) => text.match(/ ?[a-z]+| ?\d{1,3}| ?[^\sa-z\d]+|\s+/g) ?? [];
const words: Tokenizer = (text) => pieces(text).length;
const bytes: Tokenizer = (text) => new TextEncoder().encode(text).length;
const withTemplate =
  (tokenizer: Tokenizer, overhead: number): Tokenizer =>
  (text) =>
    tokenizer(text) + overhead;
/** Some words have two tokens, as in a small vocabulary. */
const dear: Tokenizer = (text) => words(text) + (text.match(/ (?:able|city|snow|star|hero)\b/g) ?? []).length;
/** Joins words with certain beginnings, so token counts are not additive. */
const joining: Tokenizer = (text) => words(text.replaceAll(/ ([a-m][a-z]{3}) ([a-m][a-z]{3})\b/g, ' $1$2'));

function calibratorOf(tokenizer: Tokenizer, countsMax?: number) {
  const asked: string[] = [];
  const calibrator = createCalibrator({
    countTokens: async (text) => {
      asked.push(text);
      return tokenizer(text);
    },
    seed: 1,
    salt: 'run_1',
    ...(countsMax === undefined ? {} : { countsMax }),
  });
  return { asked, calibrator };
}

describe.each<[string, Tokenizer]>([
  ['of words', words],
  ['of words after a chat template', withTemplate(words, 41)],
  ['of bytes', bytes],
  ['of bytes after a template', withTemplate(bytes, 7)],
  ['with some words of two tokens', withTemplate(dear, 5)],
])('a tokenizer %s', (_title, tokenizer) => {
  test.each([64, 128, 1024, 4096, 32768])('gives prompts of exactly %s tokens', async (tokens) => {
    const { calibrator } = calibratorOf(tokenizer);
    const shape = await calibrator.fit(tokens);
    expect(shape).toMatchObject({ measuredTokens: tokens, offBy: 0, isAdditive: true, isCut: false });
    // Each request has a different text, which is not counted again.
    for (let index = 0; index < 20; index++)
      expect(tokenizer(composeText(shape, { seed: 5, salt: 'x', index }))).toBe(tokens);
  });

  test('gives prompts of exactly any length', async () => {
    const { calibrator } = calibratorOf(tokenizer, 100_000);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 60, max: 3000 }), fc.maxSafeNat(), async (tokens, seed) => {
        const shape = await calibrator.fit(tokens);
        expect(tokenizer(composeText(shape, { seed, salt: '', index: 3 }))).toBe(tokens);
      }),
    );
  });
});

// An unproven endpoint allows 50 requests per day. Each count is one request.
test('needs three counts for words of one token, and one count per length', async () => {
  const { asked, calibrator } = calibratorOf(withTemplate(words, 9));
  await Promise.all([1024, 4096, 1024, 4096].map((tokens) => calibrator.fit(tokens)));
  expect(asked).toHaveLength(5);
  expect(calibrator.counted()).toBe(5);
  expect(await calibrator.vocabulary()).toEqual({
    ...{ words: promptWords, tokensPerWord: 1, overheadTokens: 10, isAdditive: true },
  });
});

test.each<[string, Tokenizer]>([
  ['of bytes', bytes],
  ['with some words of two tokens', withTemplate(dear, 5)],
  ['that joins words', joining],
])('needs at most twelve counts for a tokenizer %s, and four for a further length', async (_title, tokenizer) => {
  const { asked, calibrator } = calibratorOf(tokenizer);
  await calibrator.fit(1024);
  expect(asked.length).toBeLessThanOrEqual(12);
  const before = asked.length;
  await calibrator.fit(4096);
  expect(asked.length - before).toBeLessThanOrEqual(4);
});

test('excludes words of several tokens, with their groups', async () => {
  const { words: kept } = await calibratorOf(dear).calibrator.vocabulary();
  expect(kept).not.toContain('city');
  expect(kept.length).toBeGreaterThan(100);
});

test('never counts two texts with the same beginning', async () => {
  const { asked, calibrator } = calibratorOf(words);
  for (const tokens of [100, 101, 102]) await calibrator.fit(tokens);
  expect(new Set(asked.map((text) => text.slice(0, 6))).size).toBe(asked.length);
});

test('approximates the length for a tokenizer that joins words, and reports it', async () => {
  const { calibrator } = calibratorOf(joining);
  for (const tokens of [100, 1024, 4096]) {
    const shape = await calibrator.fit(tokens);
    expect(shape.isAdditive).toBe(false);
    expect(Math.abs(shape.offBy)).toBeLessThanOrEqual(2);
    expect(shape.measuredTokens - tokens).toBe(shape.offBy);
  }
});

// Ollama truncates a prompt to its context without an error. The point would be labeled 16384 but run with 4096.
test('detects a server that truncates prompts', async () => {
  const { calibrator } = calibratorOf((text) => Math.min(4096, words(text)));
  expect(await calibrator.fit(4000)).toMatchObject({ offBy: 0, isCut: false });
  expect(await calibrator.fit(16384)).toMatchObject({ measuredTokens: 4096, offBy: 4096 - 16384, isCut: true });
});

test('rejects a length below the template, with the minimum', async () => {
  const { calibrator } = calibratorOf(withTemplate(words, 70));
  await expect(calibrator.fit(32)).rejects.toMatchObject({ code: 'too_short', message: expect.stringContaining('72') });
});

test.each([0, -1, 1.5, Number.NaN])('rejects a count of %s', async (count) => {
  await expect(calibratorOf(() => count).calibrator.vocabulary()).rejects.toMatchObject({ code: 'count_invalid' });
});

test('counts no more than the maximum', async () => {
  for (const countsMax of [2, 3, 4, 6, 10]) {
    const { asked, calibrator } = calibratorOf(dear, countsMax);
    const found = await calibrator.fit(1000).catch((error: unknown) => error);
    if (found instanceof Error) expect(found).toBeInstanceOf(CalibrationError);
    else expect(found).toMatchObject({ inputTokens: 1000 });
    expect(asked.length).toBeLessThanOrEqual(countsMax);
  }
});

test('passes on an error of the server, and retries at the next call', async () => {
  let isAway = true;
  const calibrator = createCalibrator({
    countTokens: async (text) => {
      if (isAway) throw new Error('connection refused');
      return words(text);
    },
    seed: 1,
    salt: '',
  });
  await expect(calibrator.fit(100)).rejects.toThrow('connection refused');
  isAway = false;
  expect(await calibrator.fit(100)).toMatchObject({ offBy: 0 });
});
