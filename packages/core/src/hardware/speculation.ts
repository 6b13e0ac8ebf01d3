import type { Result } from '../subjects/result.ts';
import { isOn } from './switches.ts';

/** Features that state the drafted tokens per step, by the servers' names. */
const counts = [
  'draft_tokens',
  'num_draft_tokens',
  'speculative_tokens',
  'num_speculative_tokens',
  'speculative_num_draft_tokens',
  'speculative_num_steps',
  'draft_max',
] as const;
const speculative = /specul|spec_?dec|draft|eagle|medusa|nextn|lookahead|multi_token|(?:^|_)mtp(?:_|$)/iu;

/** Counters that tools print for speculative runs. */
const counters = ['drafts', 'draft_tokens', 'accepted_tokens', 'acceptance_rate_percent', 'acceptance_length'] as const;

const positive = (value: unknown): number =>
  typeof value === 'boolean' || value === undefined ? 0 : Math.max(0, Number(value) || 0);

/** Maximum drafted tokens per step. Further tokens would almost never be accepted. */
export const draftMost = 16;

const drafted = (value: unknown): number => {
  const tokens = positive(value);
  return Number.isInteger(tokens) ? tokens : 0;
};

/** Features that state the nodes of a draft tree. One path is accepted; the steps determine its length. */
const treeSizes: ReadonlySet<string> = new Set(['num_draft_tokens', 'speculative_num_draft_tokens']);

/** Returns the feature that declares more drafted tokens than a step can have, and the number; null if none does. */
export function overdrafted({ features }: Result['system']): { feature: string; tokens: number } | null {
  const isTree = drafted(features.speculative_num_steps) > 0;
  for (const feature of counts) {
    const tokens = drafted(features[feature]);
    if (tokens > draftMost && !(isTree && treeSizes.has(feature))) return { feature, tokens };
  }
  return null;
}

/**
 * Maximum tokens of one decoding step per sequence: 1, or the drafted ones (at most 16) plus one. Null if the system
 * speculates without a stated number. Counters of the tool (`extra`) also show that a system speculates.
 */
export function tokensPerStep({ features }: Result['system'], extra: Result['extra'] = {}): number | null {
  const perDraft = Math.max(...counts.map((name) => drafted(features[name])));
  if (perDraft > 0) return Math.min(perDraft, draftMost) + 1;
  const [drafts, draftTokens] = [positive(extra.drafts), positive(extra.draft_tokens)];
  if (drafts > 0 && draftTokens > 0) return Math.min(draftTokens / drafts, draftMost) + 1;
  const speculates =
    Object.entries(features).some(([name, value]) => speculative.test(name) && isOn(value)) ||
    counters.some((name) => positive(extra[name]) > 0) ||
    // A run with one token per step has no drafts.
    positive(extra.acc_length) > 1;
  return speculates ? null : 1;
}
