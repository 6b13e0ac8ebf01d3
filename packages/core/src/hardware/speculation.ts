import type { Result } from '../result.ts';

const counts = ['draft_tokens', 'num_draft_tokens', 'speculative_tokens', 'num_speculative_tokens'] as const;
const words = ['speculative_decoding', 'speculative', 'spec_decode', 'speculative_algorithm', 'draft_model'] as const;

const isOn = (value: unknown) =>
  value !== undefined && value !== false && value !== 0 && value !== '' && value !== 'off' && value !== 'none';

/**
 * Tokens that one decoding step may give a sequence: 1, or the drafted ones and the sure one. Null where the system
 * speculates and does not say how far.
 */
export function tokensPerStep(
  { features }: Result['system'],
  { acc_length: accepted }: Result['extra'] = {},
): number | null {
  for (const name of counts) {
    const drafted = features[name];
    if (typeof drafted === 'number' && drafted >= 0) return drafted + 1;
  }
  const speculates = words.some((name) => isOn(features[name])) || typeof accepted === 'number';
  return speculates ? null : 1;
}
