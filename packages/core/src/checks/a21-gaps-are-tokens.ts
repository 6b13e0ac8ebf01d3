import type { Result } from '../result.ts';
import { isPerRequest, latencyRange, leavesFirstOut, meanAnswer, rangeOf } from './arithmetic.ts';
import { answer, type Check, figure } from './check.ts';

/** Gaps of a stream for each token after the first. A chunk without text, first or last, is no more than one. */
const mostGaps = 1.5;
/** Of shorter answers the chunks without text may be half. */
const leastTokens = 8;
/** Stand-ins for gaps that nobody measured. */
const standIns: readonly (string | undefined)[] = ['from_tpot', 'from_user_tok_s'];

interface Stream {
  /** Mean ms from the first token to the last, at the least, and the tokens in that time. */
  ms: number;
  tokens: number;
  basis: string;
}

/** True where every answer surely had the length asked for: as many tokens came as that length makes. */
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
  // Means over requests and over gaps agree where all answers are of one length, and nowhere else.
  if (tpotMs === undefined || !leavesFirstOut(definitions) || !isEqualLength(result)) return null;
  return { ms: rangeOf(tpotMs).low * tokens, tokens, basis: 'TPOT' };
}

export const a21GapsAreTokens: Check = {
  id: 'A21',
  code: 'gaps_too_short',
  title: 'A stream has no more gaps than tokens',
  rule:
    '(mean e2e - mean ttft) / mean itl is the number of gaps of a mean answer, whatever its length; without e2e it is mean tpot x (n - 1) / mean itl where every answer had the length asked for. It may be 1.5 x (mean n - 1), for answers of 8 tokens or more. ' +
    'A chunk of several tokens makes gaps fewer, never more. Where answers differ in length and no latency is stated nothing follows, since honest servers under overload show a mean ITL of a third of the mean TPOT. ' +
    'More gaps are a warning: ITL was halved, or chunks without text were counted.',
  check({ result }) {
    const { kind, metrics, definitions } = result;
    const { itl_ms_mean: itlMs } = metrics;
    // Gaps of single tokens are held against the latency exactly (A9).
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
        message: `A mean gap of ${figure(itlMs)} ms makes ${figure(gaps)} gaps of the ${figure(ms)} ms that ${basis} leaves after the first token, for ${figure(tokens)} tokens.`,
        evidence: { itl_ms_mean: itlMs, stream_ms: ms, gaps, tokens, ratio: gaps / tokens },
      },
    ]);
  },
};
