import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withModels, withPrefix } from './decorate.ts';
import { constant } from './lengths.ts';
import { createMix } from './mix.ts';
import { createSynthetic } from './synthetic.ts';
import type { TrafficSource, Unit } from './unit.ts';

const vocabulary = { words: ['able', 'baby', 'calm', 'deal'], tokensPerWord: 1, overheadTokens: 4, isAdditive: true };
const tools = { vocabulary: async () => vocabulary, systemOverhead: async () => 1, countTokens: async () => 1 };
const short = createSynthetic({ input: constant(20), output: constant(3), conversation: null });
const long = createSynthetic({ input: constant(200), output: constant(30), conversation: null });
const mix = createMix([
  { name: 'short', weight: 3, source: short },
  { name: 'long', weight: 1, source: long },
]);

async function unitsOf(source: TrafficSource, count: number, seed: number): Promise<Unit[]> {
  const units = (await source.open(tools))(seed);
  return Array.from({ length: count }, (_, index) => units(index));
}

test('draws parts by weight, each with its own requests', async () => {
  const units = await unitsOf(mix, 4000, 1);
  const share = units.filter(({ workload }) => workload === 'short').length / units.length;
  expect(Math.abs(share - 0.75)).toBeLessThan(0.03);
  expect(new Set(units.map(({ workload, turns }) => `${workload} ${turns[0].outputTokens}`))).toEqual(
    new Set(['short 3', 'long 30']),
  );
  const texts = new Set(units.slice(0, 200).map(({ turns }) => turns[0].messages[0]?.content));
  expect(texts.size).toBe(200);
});

test('adds one of the given number of prefixes, with the given words, to each prompt', async () => {
  const source = withPrefix(short, { groups: 3, tokens: 50 });
  expect(source).toMatchObject({
    name: 'prefix-3x50',
    lengths: { inputTokens: 70, outputTokens: 3 },
    sharesPrefixes: true,
  });
  const units = await unitsOf(source, 60, 1);
  const prefixes = new Set(units.map(({ turns }) => String(turns[0].messages[0]?.content)));
  expect(prefixes.size).toBe(3);
  for (const prefix of prefixes) expect(prefix.split(' ')).toHaveLength(50);
  expect(new Set(units.map(({ turns }) => turns[0].messages[1]?.content)).size).toBe(60);
});

test('alternates models', async () => {
  const units = await unitsOf(withModels(short, ['a', 'b', 'c']), 6, 1);
  expect(units.map(({ model }) => model)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('gives the same requests for the same seed, in any order of access', async () => {
  const source = withModels(withPrefix(mix, { groups: 2, tokens: 8 }), ['a', 'b']);
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 8 }), async (seed, order) => {
      const straight = await unitsOf(source, 41, seed);
      const units = (await source.open(tools))(seed);
      for (const index of order) expect(units(index)).toEqual(straight[index]);
    }),
    { numRuns: 30 },
  );
});
