import type { Result } from '../result.ts';
import { isOn } from './switches.ts';

/** Features that tell how many tokens are drafted for a step, as servers name them. */
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

/** Counters that a tool prints of a run that speculated. */
const counters = ['drafts', 'draft_tokens', 'accepted_tokens', 'acceptance_rate_percent', 'acceptance_length'] as const;

const positive = (value: unknown): number =>
  typeof value === 'boolean' || value === undefined ? 0 : Math.max(0, Number(value) || 0);

/** Tokens drafted for one step at most: nearly none of those beyond would be accepted. */
export const draftMost = 16;

const drafted = (value: unknown): number => {
  const tokens = positive(value);
  return Number.isInteger(tokens) ? tokens : 0;
};

/** Nodes of a tree of drafts: of those, one path is accepted, and the steps tell its length. */
const treeSizes: ReadonlySet<string> = new Set(['num_draft_tokens', 'speculative_num_draft_tokens']);

/** The feature that declares more drafted tokens than a step can have, and how many; null where none does. */
export function overdrafted({ features }: Result['system']): { feature: string; tokens: number } | null {
  const isTree = drafted(features.speculative_num_steps) > 0;
  for (const feature of counts) {
    const tokens = drafted(features[feature]);
    if (tokens > draftMost && !(isTree && treeSizes.has(feature))) return { feature, tokens };
  }
  return null;
}

/**
 * Tokens that one decoding step may give a sequence: 1, or the drafted ones, 16 at most, and the sure one. Null where the
 * system speculates and does not say how far; what the tool counted (`extra`) tells that a system speculates, too.
 */
export function tokensPerStep({ features }: Result['system'], extra: Result['extra'] = {}): number | null {
  const perDraft = Math.max(...counts.map((name) => drafted(features[name])));
  if (perDraft > 0) return Math.min(perDraft, draftMost) + 1;
  const [drafts, draftTokens] = [positive(extra.drafts), positive(extra.draft_tokens)];
  if (drafts > 0 && draftTokens > 0) return Math.min(draftTokens / drafts, draftMost) + 1;
  const speculates =
    Object.entries(features).some(([name, value]) => speculative.test(name) && isOn(value)) ||
    counters.some((name) => positive(extra[name]) > 0) ||
    // Steps that gave one token each are steps without a draft.
    positive(extra.acc_length) > 1;
  return speculates ? null : 1;
}
