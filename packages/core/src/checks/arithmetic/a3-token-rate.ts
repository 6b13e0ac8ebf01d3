import type { Result } from '../../subjects/result.ts';
import { lengthsOf } from '../../subjects/scenario.ts';
import { type Check, type Doubt, unchecked } from '../check.ts';
import { checkRate } from '../ratio.ts';
import { missingOf, toleranceOf } from './arithmetic.ts';

const title = 'Token rates equal tokens over time';
const tolerance = 0.01;

/** Token counts and their duration, as far as they are known. `from` names their source. */
interface Basis {
  from: 'window' | 'batch';
  seconds: number | undefined;
  input: number | undefined;
  output: number | undefined;
}

const windowOf = ({ metrics }: Result): Basis => ({
  from: 'window',
  seconds: metrics.duration_s,
  input: metrics.input_tokens,
  output: metrics.output_tokens,
});

/** A static batch defines its tokens by its shape: B x in and B x out within the latency of the whole batch. */
function batchOf(result: Result): Basis | null {
  const { metrics, load, definitions } = result;
  if (load.mode !== 'batch') return null;
  const { inputTokens, outputTokens } = lengthsOf(result);
  const latencyMs = (definitions.e2e_ms ?? 'whole_batch') === 'whole_batch' ? metrics.e2e_ms_mean : undefined;
  const tokens = (perSequence: number | null) => (perSequence === null ? undefined : load.level * perSequence);
  return {
    from: 'batch',
    seconds: latencyMs === undefined ? undefined : latencyMs / 1000,
    input: tokens(inputTokens),
    output: tokens(outputTokens),
  };
}

const rates = [
  { name: 'output_tok_s', amountName: 'output tokens', needs: ['output'] },
  { name: 'input_tok_s', amountName: 'input tokens', needs: ['input'] },
  { name: 'total_tok_s', amountName: 'tokens', needs: ['input', 'output'] },
] as const;

/** Checks one rate on one basis; null if the basis lacks a figure. */
function checkOn(basis: Basis, rate: (typeof rates)[number], stated: number, allowed: number): Doubt[] | null {
  const { seconds } = basis;
  let amount = 0;
  for (const kind of rate.needs) amount += basis[kind] ?? Number.NaN;
  if (seconds === undefined || Number.isNaN(amount)) return null;
  const { name, amountName } = rate;
  return checkRate({ name, unit: 'tok/s', stated, amount, amountName, seconds, tolerance: allowed });
}

const names = {
  window: { seconds: 'duration_s', input: 'input_tokens', output: 'output_tokens' },
  batch: { seconds: 'e2e_ms_mean of the whole batch', input: 'input length', output: 'output length' },
} as const;

function missingFor(basis: Basis, { needs }: (typeof rates)[number]): string[] {
  const words = names[basis.from];
  return missingOf(
    Object.fromEntries(
      [...needs, 'seconds' as const].map((need): [string, number | undefined] => [words[need], basis[need]]),
    ),
  );
}

export const a3TokenRate: Check = {
  id: 'A3',
  code: 'token_rate_contradicts',
  title,
  rule:
    'output_tok_s = output_tokens / duration_s, input_tok_s = input_tokens / duration_s, total_tok_s = (input_tokens + output_tokens) / duration_s; for one static batch of B sequences the tokens are B x the requested lengths and the time is the latency of the whole batch. ' +
    'Within 1 % and the rounding of the figures as written. A rate without its tokens or its time stays unchecked. A larger difference is a violation: usually a decode speed was reported as throughput.',
  check({ result }) {
    if (result.kind !== 'serving') return 'not_applicable';
    const { metrics } = result;
    const window = windowOf(result);
    const batch = batchOf(result);
    const doubts: Doubt[] = [];
    const missing = new Set<string>();
    const allowed = toleranceOf(result, tolerance);
    let claims = 0;
    for (const rate of rates) {
      const stated = metrics[rate.name];
      if (stated === undefined) continue;
      claims++;
      const ofBatch = batch === null ? null : checkOn(batch, rate, stated, allowed);
      const ofWindow = checkOn(window, rate, stated, allowed);
      if (ofBatch !== null) doubts.push(...ofBatch);
      if (ofWindow !== null) doubts.push(...ofWindow);
      if (ofBatch === null && ofWindow === null) {
        for (const name of missingFor(batch ?? window, rate)) missing.add(name);
      }
    }
    if (claims === 0) return 'not_applicable';
    if (missing.size > 0) return [...doubts, ...unchecked(title, [...missing])];
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
