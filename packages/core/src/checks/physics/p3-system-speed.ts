import { type Decoding, systemBound } from '../../hardware/bounds.ts';
import type { Result } from '../../subjects/result.ts';
import { type Answer, type Check, figure, roundingOf, unchecked } from '../check.ts';
import { batchOf, decodingOf, judgeOn } from './hardware-claim.ts';
import { gpusText, judgeClaim } from './roofline.ts';

const title = 'No batch is decoded faster than memory and arithmetic allow';

/**
 * Returns the highest claimed decode speed of all users together in tok/s; null if the figures claim none. Part of a burst
 * waits in the queue, so users x their speed may exceed the actual decode rate. Steps of a closed loop may be faster than
 * steps at full load.
 */
function claimedSystemSpeed({ metrics, load }: Result): number | null {
  const { decode_tok_s = 0, output_tok_s = 0, tpot_ms_mean = 0 } = metrics;
  const isTogether = load.mode === 'concurrency' || load.mode === 'batch';
  const fromSteps =
    load.mode === 'batch' && tpot_ms_mean > 0 ? (load.level * 1000) / (tpot_ms_mean + roundingOf(tpot_ms_mean)) : 0;
  const most = Math.max(isTogether ? decode_tok_s : 0, output_tok_s, fromSteps);
  return most === 0 ? null : most;
}

function judgeSystem(claimed: number, decoding: Decoding, batch: number): Answer {
  const limit = systemBound(decoding, batch);
  if (limit === null) return unchecked(title, ['the bytes of a decoding step']);
  const { gpus, perStep, context } = decoding;
  const stepMs = limit.stepS * 1000;
  return judgeClaim({
    stated: () => `${figure(claimed)} tok/s for ${figure(batch)} ${batch === 1 ? 'sequence' : 'sequences'}`,
    needs: () =>
      `a step of ${figure((1000 * perStep * batch) / claimed)} ms; ${gpusText(gpus.decoding, gpus.name, ['needs', 'need'])} at least ${figure(stepMs)} ms`,
    claimed,
    bound: limit.bound,
    isCertain: gpus.isCertain,
    evidence: {
      bytes_per_step: limit.bytesPerStep,
      step_ms: stepMs,
      compute_bound: limit.computeBound,
      tokens_per_step: perStep,
      context_tokens: context,
      batch,
    },
  });
}

export const p3SystemSpeed: Check = {
  id: 'P3',
  code: 'above_roofline',
  title,
  rule:
    'A decoding step of B sequences reads the active weights once and B contexts of cache, and multiplies every token it gives: decode_tok_s and output_tok_s <= steps x B / max(bytes / (GPUs x bandwidth), steps x operations / (GPUs x rate)). ' +
    'A context that requests may share (shared_prompt, prefix_caching) is read once. ' +
    'B is the number of requests in flight, experts are taken to be the same for all tokens, and figures of the hardware are the largest that could apply, so the bound is generous. ' +
    'Needs the load, and the inputs of P2. Verdicts and replacements as for one user (P2).',
  check({ result }) {
    if (result.kind !== 'serving') return 'not_applicable';
    const claimed = claimedSystemSpeed(result);
    if (claimed === null) return 'not_applicable';
    const decoding = decodingOf(result);
    if (Array.isArray(decoding)) return unchecked(title, decoding);
    const batch = batchOf(result);
    if (batch === null) return unchecked(title, ['the number of requests in flight']);
    return judgeOn(title, decoding, result.system, (of) => judgeSystem(claimed, of, batch));
  },
};
