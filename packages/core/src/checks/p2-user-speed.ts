import { stepBytes, userBound } from '../hardware/bounds.ts';
import type { Result } from '../result.ts';
import { type Check, figure, roundingOf, unchecked } from './check.ts';
import { decodingOf } from './hardware-claim.ts';
import { bandwidthText, gpusText, judgeClaim } from './roofline.ts';

const title = 'No user is served faster than memory can be read';

/** tok/s behind a time per token in ms: as it was rounded, the slowest (+1) or the fastest (-1) that it may have been. */
function speedOf(ms: number | undefined, rounded: 1 | -1): number {
  return ms === undefined || ms <= 0 ? 0 : 1000 / Math.max(0, ms + rounded * roundingOf(ms));
}

/** The largest decode speed of one user that the figures claim, tok/s; null where they claim none. */
export function claimedUserSpeed({ metrics, definitions, load }: Result, rounded: 1 | -1 = 1): number | null {
  const { user_tok_s, tpot_ms_mean, itl_ms_mean, decode_tok_s } = metrics;
  const shared = load.mode === 'rate' || load.mode === 'unspecified' ? undefined : decode_tok_s;
  const most = Math.max(
    user_tok_s ?? 0,
    speedOf(tpot_ms_mean, rounded),
    definitions.itl_ms === 'per_token' ? speedOf(itl_ms_mean, rounded) : 0,
    shared === undefined || load.level === null ? 0 : shared / load.level,
  );
  return most === 0 ? null : most;
}

export const p2UserSpeed: Check = {
  id: 'P2',
  code: 'above_roofline',
  title,
  rule:
    'Decoding a token for one user reads the active weights and the cache of its context: user_tok_s <= steps x GPUs x bandwidth / (active parameters x bytes + context x cache bytes). ' +
    'The GPUs are those that share a sequence (tensor x expert width), a step gives draft_tokens + 1 tokens, bits and cache are the smallest and the bandwidth is the largest published, and the context is what was asked or, if less, counted. ' +
    'Needs the GPU, the model and the format; weights under 0.5 GB, which caches may hold, and offloaded layers are not judged. ' +
    'Above 0.92 of the bound is an info, above it a warning, above 1.15 times it a violation.',
  check({ result }) {
    const claimed = result.kind === 'serving' ? claimedUserSpeed(result) : null;
    if (claimed === null) return 'not_applicable';
    const decoding = decodingOf(result);
    if (Array.isArray(decoding)) return unchecked(title, decoding);
    const bound = userBound(decoding);
    const bytes = stepBytes(decoding.weights, 1, decoding.context);
    if (bound === null || bytes === null) return unchecked(title, ['the bytes of a decoding step']);
    const { gpus, perStep, context } = decoding;
    const has = () => `${gpusText(gpus.width, gpus.name)} ${bandwidthText(gpus.width * gpus.bandwidthMost)}`;
    return judgeClaim({
      stated: () => `${figure(claimed)} tok/s per user`,
      needs: () => `${bandwidthText((claimed * bytes) / perStep)}; ${has()}`,
      claimed,
      bound,
      isCertain: gpus.isCertain,
      evidence: { bytes_per_step: bytes, tokens_per_step: perStep, context_tokens: context, gpus: gpus.width },
    });
  },
};
