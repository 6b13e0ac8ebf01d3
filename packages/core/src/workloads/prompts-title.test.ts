import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lengths } from '../plans/lengths.ts';
import { scenarioOfPrompts } from '../plans/made-up-prompts.ts';
import { promptsTitle } from './prompts-title.ts';

test.each([
  ['turns-4-200-to-100', '4-turn conversations, 200 → 100 tokens per turn'],
  [
    'turns-4-think-lognormal-0.5-0.5-200-to-100',
    '4-turn conversations, 200 → 100 tokens per turn, think time 0.5 s (log-normal, σ 0.5)',
  ],
  ['lengths-normal-512-64-to-uniform-100-2000', '512 ± 64 → 100–2,000 tokens'],
  ['prefix-8x1024', '8 shared prefixes of 1,024 tokens'],
  [
    'prefix-1x50-turns-2-think-3-7-to-9',
    '2-turn conversations, 7 → 9 tokens per turn, think time 3 s, 1 shared prefix of 50 tokens',
  ],
  ['mix-1024x256-70-100x20-30', 'Mix: 70 % 1,024 → 256 tokens, 30 % 100 → 20 tokens'],
  ['mix-100x20-999-9x9-1', 'Mix: 99.9 % 100 → 20 tokens, 0.1 % 9 → 9 tokens'],
])('%s', (name, title) => {
  expect(promptsTitle(name)).toBe(title);
});

test.each([
  '',
  'chatbot',
  'sharegpt',
  'random',
  'turns-4',
  'lengths-a-to-b',
  'data-prefix-8x1024',
  'prefix-8x1024-sharegpt',
  'mix-chatbot-70-1a2b3c4d',
])('leaves %j', (name) => {
  expect(promptsTitle(name)).toBeNull();
});

const tokens = fc.integer({ min: 1, max: 100_000 });
const drawn: fc.Arbitrary<Lengths> = fc.oneof(
  tokens.map((mean): Lengths => ({ kind: 'constant', tokens: mean })),
  fc.tuple(tokens, tokens).map(([min, more]): Lengths => ({ kind: 'uniform', min, max: min + more })),
  fc.tuple(tokens, tokens).map(([mean, sd]): Lengths => ({ kind: 'normal', mean, sd })),
  fc
    .tuple(tokens, fc.integer({ min: 1, max: 50 }))
    .map(([median, s]): Lengths => ({ kind: 'lognormal', median, sigma: s / 10 })),
);

test('reads the name of all made-up prompts whose lengths vary, share prefixes or have turns', () => {
  const conversation = fc.record({ turns: fc.integer({ min: 2, max: 50 }), thinkS: fc.option(drawn) });
  const prefix = fc.option(fc.record({ groups: tokens, tokens }));
  fc.assert(
    fc.property(drawn, drawn, prefix, fc.option(conversation), (input, output, shared, turns) => {
      const { id } = scenarioOfPrompts({
        input,
        output,
        prefix: shared,
        ...(turns !== null && { conversation: turns }),
      });
      expect(promptsTitle(id) === null).toBe(id === 'random');
    }),
  );
});
