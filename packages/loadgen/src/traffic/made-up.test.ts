import { type MadeUpPrompts, scenarioOfPrompts } from '@inferboard/core/plans/made-up-prompts';
import { scenarioOfMix } from '@inferboard/core/plans/mix';
import { expect, test } from 'vitest';
import { openPlanned } from './load-traffic.ts';

const constant = { kind: 'constant', tokens: 100 } as const;
const drawn = { kind: 'uniform', min: 20, max: 60 } as const;
const prefix = { groups: 2, tokens: 50 };

test.each<MadeUpPrompts>([
  { input: drawn, output: constant, prefix: null },
  { input: constant, output: drawn, prefix },
  { input: drawn, output: drawn, prefix },
  { input: constant, output: constant, prefix },
  { input: constant, output: constant, prefix: null, conversation: { turns: 3, thinkS: null } },
  { input: constant, output: drawn, prefix, conversation: { turns: 2, thinkS: drawn } },
])('a plan names its prompts as their source does: %o', (prompts) => {
  const scenario = scenarioOfPrompts(prompts);
  const { id, inputTokens, outputTokens } = scenario;
  const sharesPrefixes = prompts.prefix !== null || prompts.conversation !== undefined;
  expect(openPlanned(scenario)).toMatchObject({ name: id, lengths: { inputTokens, outputTokens }, sharesPrefixes });
});

test('a plan names a mix of shapes as its source does', () => {
  const scenario = scenarioOfMix([
    { name: 'chatbot', weight: 7, inputTokens: 1024, outputTokens: 256 },
    { name: '20x3', weight: 1, inputTokens: 20, outputTokens: 3 },
  ]);
  expect(scenario.id).toBe('mix-1024x256-7-20x3-1');
  expect(openPlanned(scenario)).toMatchObject({
    name: scenario.id,
    lengths: { inputTokens: null, outputTokens: null },
  });
});
