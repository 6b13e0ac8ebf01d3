import type { Result } from '../../subjects/result.ts';
import { isPerRequest, latencyRange, leavesFirstOut, meanAnswer, rangeOf } from '../arithmetic/arithmetic.ts';
import { answer, type Check, figure } from '../check.ts';

/** Maximum gaps per token after the first. A first or last chunk without text adds at most one gap. */
const mostGaps = 1.5;
/** In shorter responses, chunks without text may be half of all chunks. */
const leastTokens = 8;
/** Substitutes for gaps that were not measured. */
const standIns: readonly (string | undefined)[] = ['from_tpot', 'from_user_tok_s'];

interface Stream {
  /** Minimum mean ms from the first token to the last, and the tokens in that time. */
  ms: number;
  tokens: number;
  basis: string;
}

/** True if every response certainly had the requested length: the token count equals requests times length. */
function isEqualLength({ metrics, scenario }: Result): boolean {
  const { output_tokens: tokens, requests_ok: ok } = metrics;
  return scenario.outputTokens !== null && ok !== undefined && tokens === ok * scenario.outputTokens;
}

function streamOf(result: Result): Stream | null {
  const { metrics, definitions } = result;
  const { e2e_ms_mean: e2eMs, ttft_ms_mean: ttftMs, tpot_ms_mean: tpotMs } = metrics;
  const answered = meanAnswer(metrics);
  if (answered === null || answered < leastTokens) return null;
  const tokens = answered - 1;
  if (e2eMs !== undefined && ttftMs !== undefined && isPerRequest(result))
    return { ms: latencyRange(e2eMs).low - latencyRange(ttftMs).high, tokens, basis: 'latency' };
  // Means over requests and means over gaps agree only if all responses have the same length.
  if (tpotMs === undefined || !leavesFirstOut(definitions) || !isEqualLength(result)) return null;
  return { ms: rangeOf(tpotMs).low * tokens, tokens, basis: 'TPOT' };
}

export const a21GapsAreTokens: Check = {
  id: 'A21',
  code: 'gaps_too_short',
  title: 'A stream has no more gaps than tokens',
  rule:
    '(mean e2e - mean ttft) / mean itl is the number of gaps of a mean response of any length; without e2e it is mean tpot x (n - 1) / mean itl if every response had the requested length. It may be at most 1.5 x (mean n - 1), for responses of 8 tokens or more. ' +
    'Chunks of several tokens reduce the number of gaps and never increase it. If responses differ in length and no latency is stated, nothing is checked, because correct servers under overload show a mean ITL of a third of the mean TPOT. ' +
    'More gaps are a warning: ITL was halved, or chunks without text were counted.',
  check({ result }) {
    const { kind, metrics, definitions } = result;
    const { itl_ms_mean: itlMs } = metrics;
    // A9 compares gaps of single tokens with the latency exactly.
    if (kind !== 'serving' || itlMs === undefined || itlMs <= 0) return 'not_applicable';
    if (standIns.includes(definitions.itl_ms) || definitions.itl_ms === 'per_token') return 'not_applicable';
    const stream = streamOf(result);
    if (stream === null) return 'not_applicable';
    const { ms, tokens, basis } = stream;
    const gaps = ms / rangeOf(itlMs).high;
    if (gaps <= mostGaps * tokens) return 'pass';
    return answer([
      {
        severity: 'warning',
        message: `A mean ITL of ${figure(itlMs)} ms implies ${figure(gaps)} gaps in the ${figure(ms)} ms after the first token (computed from ${basis}), for ${figure(tokens)} tokens.`,
        evidence: { itl_ms_mean: itlMs, stream_ms: ms, gaps, tokens, ratio: gaps / tokens },
      },
    ]);
  },
};
