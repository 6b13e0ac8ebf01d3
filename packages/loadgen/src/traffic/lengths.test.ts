import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../pacing/random.ts';
import { type Distribution, drawTokens, readDistribution } from './lengths.ts';
import { createSynthetic } from './synthetic.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lengths-'));
});
afterAll(() => rm(folder, { recursive: true }));

function read(text: string): Distribution {
  const found = readDistribution(text);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

function drawn(text: string, count = 20_000): number[] {
  const random = createRandom(5);
  const distribution = read(text);
  return Array.from({ length: count }, () => drawTokens(distribution, random)).sort((a, b) => a - b);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('draws have the stated distribution', async () => {
  const uniform = drawn('uniform:100:200');
  expect([uniform[0], uniform.at(-1)]).toEqual([100, 200]);
  expect(Math.abs(mean(uniform) - 150)).toBeLessThan(1);
  const normal = drawn('normal:500:50');
  expect(Math.abs(mean(normal) - 500)).toBeLessThan(2);
  expect(Math.abs(Math.sqrt(mean(normal.map((value) => (value - 500) ** 2))) - 50)).toBeLessThan(2);
  const lognormal = drawn('lognormal:1000:0.5');
  expect(Math.abs((lognormal[10_000] ?? 0) - 1000)).toBeLessThan(25);
  expect(Math.abs(mean(lognormal.map((value) => Math.log(value / 1000) ** 2)) - 0.25)).toBeLessThan(0.01);
  const path = join(folder, 'a.txt');
  await writeFile(path, '10\n10\n\n30\n');
  const values = drawn(`file:${path}`, 3000);
  expect(new Set(values)).toEqual(new Set([10, 30]));
  expect(Math.abs(values.filter((value) => value === 10).length - 2000)).toBeLessThan(100);
  expect(read(`file:${path}`).name).toMatch(/^a-[0-9a-f]{8}$/);
  expect(drawn('normal:2:50')[0]).toBe(1);
});

test.each([
  ['few', /must be N, uniform:MIN:MAX/],
  ['0', /must be N/],
  ['uniform:5', /must be N/],
  ['uniform:9:5', /the maximum is below the minimum/],
  ['normal:5:-1', /must be N/],
  ['lognormal:5:9', /sigma must be 5 at most/],
  ['file:/absent', /cannot be read/],
])('rejects %s', (text, words) => {
  expect(readDistribution(text)).toMatch(words);
});

test('rejects a file with a line that is not a number, with the line', async () => {
  const path = join(folder, 'bad.txt');
  await writeFile(path, '10\nten\n');
  expect(readDistribution(`file:${path}`)).toMatch(/line 2: "ten" is not a number above 0/);
});

test('gives the same requests for the same seed, and others for another', async () => {
  const vocabulary = { words: ['able', 'baby', 'calm'], tokensPerWord: 1, overheadTokens: 4, isAdditive: true };
  const source = createSynthetic({
    input: read('uniform:20:80'),
    output: read('lognormal:30:0.4'),
    conversation: { turns: 2, thinkS: read('uniform:1:5') },
  });
  const tools = { vocabulary: async () => vocabulary, systemOverhead: async () => 1, countTokens: async () => 1 };
  const made = async (seed: number) => {
    const units = (await source.open(tools))(seed);
    return JSON.stringify(Array.from({ length: 5 }, (_, index) => units(index)));
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), async (seed, other) => {
      expect(await made(seed)).toBe(await made(seed));
      if (seed !== other) expect(await made(seed)).not.toBe(await made(other));
    }),
    { numRuns: 50 },
  );
});
