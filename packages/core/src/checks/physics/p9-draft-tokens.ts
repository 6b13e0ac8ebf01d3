import { draftMost, overdrafted, tokensPerStep } from '../../hardware/speculation.ts';
import type { Check } from '../check.ts';

export const p9DraftTokens: Check = {
  id: 'P9',
  code: 'draft_tokens_impossible',
  title: 'Draft tokens per step are within the supported maximum',
  rule:
    'The number of tokens drafted for one step of speculative decoding (draft_tokens, num_speculative_tokens and the like) may be at most 16, because almost none beyond would be accepted. The size of a tree of drafts (speculative_num_draft_tokens) is not checked if the number of its steps is stated. ' +
    'A larger number is a violation: it would raise the bounds P2 and P3, which count at most 16.',
  check({ result: { system } }) {
    const over = overdrafted(system);
    if (over === null) return tokensPerStep(system) === 1 ? 'not_applicable' : 'pass';
    const { feature, tokens } = over;
    return [
      {
        severity: 'violation',
        message: `${feature} is ${tokens}: no server drafts more than ${draftMost} tokens for one step.`,
        evidence: { feature, draft_tokens: tokens, most: draftMost },
      },
    ];
  },
};
