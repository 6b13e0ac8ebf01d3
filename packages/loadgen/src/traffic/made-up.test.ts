import { type MadeUpPrompts, scenarioOfPrompts } from '@inferboard/core/plans/made-up-prompts';
import { expect, test } from 'vitest';
import { openMadeUp } from './load-traffic.ts';

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
  const { id, inputTokens, outputTokens } = scenarioOfPrompts(prompts);
  const sharesPrefixes = prompts.prefix !== null || prompts.conversation !== undefined;
  expect(openMadeUp(prompts)).toMatchObject({ name: id, lengths: { inputTokens, outputTokens }, sharesPrefixes });
});
