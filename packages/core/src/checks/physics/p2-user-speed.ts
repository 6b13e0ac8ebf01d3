import { type Decoding, stepBytes, userBound } from '../../hardware/bounds.ts';
import type { Result } from '../../subjects/result.ts';
import { type Answer, type Check, figure, roundingOf, unchecked } from '../check.ts';
import { decodingOf, judgeOn } from './hardware-claim.ts';
import { bandwidthText, flopsText, gpusText, judgeClaim } from './roofline.ts';

const title = 'No user is faster than memory and arithmetic allow';

/** Converts ms per token to tok/s, at the slow end (+1) or the fast end (-1) of the rounding. */
function speedOf(ms: number | undefined, rounded: 1 | -1): number {
  return ms === undefined || ms <= 0 ? 0 : 1000 / Math.max(0, ms + rounded * roundingOf(ms));
}

/** Returns the highest claimed decode speed of one user in tok/s; null if the figures claim none. */
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

function judgeUser(claimed: number, decoding: Decoding): Answer {
  const bound = userBound(decoding);
  const bytes = stepBytes(decoding.weights, 1, decoding.context);
  if (bound === null || bytes === null) return unchecked(title, ['the bytes of a decoding step']);
  const { gpus, weights, perStep, context, isCached = false } = decoding;
  const bandwidth = gpus.width * gpus.bandwidthMost;
  const operations = 2 * (weights.decodeParams ?? 0);
  const isReading = !isCached && bound >= (perStep * bandwidth) / bytes;
  const has = gpusText(gpus.width, gpus.name);
  return judgeClaim({
    stated: () => `${figure(claimed)} tok/s per user`,
    needs: () =>
      isReading
        ? `${bandwidthText((claimed * bytes) / perStep)}; ${has} ${bandwidthText(bandwidth)}`
        : `${flopsText(claimed * operations)}; ${has} ${flopsText(bound * operations)}`,
    claimed,
    bound,
    isCertain: gpus.isCertain,
    evidence: { bytes_per_step: bytes, tokens_per_step: perStep, context_tokens: context, gpus: gpus.width },
  });
}

export const p2UserSpeed: Check = {
  id: 'P2',
  code: 'above_roofline',
  title,
  rule:
    'Decoding a token for one user reads the active weights and the cache of its context: user_tok_s <= steps x GPUs x bandwidth / (active parameters x bytes + context x cache bytes). ' +
    'The GPUs are those that share a sequence (tensor x expert width), a step gives draft_tokens + 1 tokens, at most 17, bits and cache are the smallest and the bandwidth is the largest published, and the context is the requested one or, if smaller, the counted one. ' +
    'Drafted tokens save memory reads, not arithmetic, so user_tok_s <= GPUs x rate / (2 x active parameters) applies as well. For weights under 0.5 GB, which may fit in caches, only this bound applies. ' +
    'Needs the GPU, the model, the format, draft_tokens if the system speculates, and all layers on the GPU. A missing fact is replaced by the fastest GPU, the smallest model and format of the catalogue, or 16 drafted tokens: above that bound is a violation, below it is unchecked. ' +
    'Above 0.92 of the bound is an info, above it a warning, above 1.15 times it a violation.',
  check({ result }) {
    const claimed = result.kind === 'serving' ? claimedUserSpeed(result) : null;
    if (claimed === null) return 'not_applicable';
    const decoding = decodingOf(result);
    if (Array.isArray(decoding)) return unchecked(title, decoding);
    return judgeOn(title, decoding, result.system, (of) => judgeUser(claimed, of));
  },
};
