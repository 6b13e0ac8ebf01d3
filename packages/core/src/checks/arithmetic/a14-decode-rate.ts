import type { Result } from '../../subjects/result.ts';
import { type Check, type Doubt, figure } from '../check.ts';
import { brokenBounds } from '../ratio.ts';
import { leavesFirstOut, rangeOf } from './arithmetic.ts';

const tolerance = 0.05;

/** Returns the constant number of concurrently decoding users; null if it varies. */
function usersOf({ load }: Result): number | null {
  return load.mode === 'concurrency' || load.mode === 'batch' ? load.level : null;
}

function checkThroughput(decode: number, output: number): Doubt[] {
  if (output <= decode) return [];
  const broken = brokenBounds(output, { low: 0, high: rangeOf(decode).high }, tolerance);
  if (broken === null) return [];
  return [
    {
      severity: 'warning',
      message: `Output throughput (${figure(output)} tok/s) is above decode speed (${figure(decode)} tok/s), which excludes the time before the first token.`,
      evidence: {
        output_tok_s: output,
        decode_tok_s: decode,
        bound: broken.upper,
        ratio: decode > 0 ? output / decode : null,
      },
    },
  ];
}

function checkSteps(decode: number, users: number, tpotMs: number): Doubt[] {
  const step = rangeOf(tpotMs);
  const most = step.low > 0 ? (users * 1000) / step.low : Number.POSITIVE_INFINITY;
  const broken = brokenBounds(decode, { low: (users * 1000) / step.high, high: most }, tolerance);
  if (broken === null) return [];
  const expected = (users * 1000) / tpotMs;
  return [
    {
      severity: 'warning',
      message: `Decode speed is stated as ${figure(decode)} tok/s, but ${figure(users)} users with ${figure(tpotMs)} ms per token equal ${figure(expected)} tok/s.`,
      evidence: { stated: decode, expected, ...broken, users, tpot_ms: tpotMs },
    },
  ];
}

export const a14DecodeRate: Check = {
  id: 'A14',
  code: 'decode_rate_contradicts',
  title: 'Decode speed is at least throughput and matches the time per token',
  rule:
    'output_tok_s <= decode_tok_s, since decoding is only part of the time; and decode_tok_s = B / mean tpot for B users of a closed loop or sequences of a batch, if TPOT excludes the first token. Both within 5 % and the rounding of the figures as written. ' +
    'Needs decode_tok_s, and output_tok_s or the mean TPOT with B. A larger difference is a warning.',
  check({ result }) {
    const { kind, metrics, definitions } = result;
    const { decode_tok_s: decode, output_tok_s: output, tpot_ms_mean: tpotMs } = metrics;
    if (kind !== 'serving' || decode === undefined) return 'not_applicable';
    const users = usersOf(result);
    const hasSteps = users !== null && tpotMs !== undefined && tpotMs > 0 && leavesFirstOut(definitions);
    if (output === undefined && !hasSteps) return 'not_applicable';
    const doubts = output === undefined ? [] : checkThroughput(decode, output);
    if (hasSteps) doubts.push(...checkSteps(decode, users, tpotMs));
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
