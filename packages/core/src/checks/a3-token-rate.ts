import type { Result } from '../result.ts';
import { answer, type Check, unchecked } from './check.ts';
import { checkRate, type RateClaim } from './ratio.ts';

const title = 'Token rates equal tokens over time';
const tolerance = 0.01;

/** A static batch states its tokens by its shape: B x (in + out) in one latency. */
function batchClaims({ metrics, scenario, load }: Result): RateClaim[] {
  const { inputTokens, outputTokens } = scenario;
  const { total_tok_s, output_tok_s, e2e_ms_mean } = metrics;
  if (load.mode !== 'batch' || e2e_ms_mean === undefined || inputTokens === null || outputTokens === null) return [];
  const seconds = e2e_ms_mean / 1000;
  const common = { unit: 'tok/s', seconds, tolerance };
  const claims: RateClaim[] = [];
  if (total_tok_s !== undefined) {
    const amount = load.level * (inputTokens + outputTokens);
    claims.push({ ...common, name: 'total_tok_s', stated: total_tok_s, amount, amountName: 'tokens' });
  }
  if (output_tok_s !== undefined) {
    const amount = load.level * outputTokens;
    claims.push({ ...common, name: 'output_tok_s', stated: output_tok_s, amount, amountName: 'output tokens' });
  }
  return claims;
}

function windowClaims({ metrics }: Result): RateClaim[] {
  const { duration_s, input_tokens, output_tokens, output_tok_s, input_tok_s, total_tok_s } = metrics;
  if (duration_s === undefined) return [];
  const common = { unit: 'tok/s', seconds: duration_s, tolerance };
  const claims: RateClaim[] = [];
  if (output_tok_s !== undefined && output_tokens !== undefined) {
    claims.push({
      ...common,
      name: 'output_tok_s',
      stated: output_tok_s,
      amount: output_tokens,
      amountName: 'output tokens',
    });
  }
  if (input_tok_s !== undefined && input_tokens !== undefined) {
    claims.push({
      ...common,
      name: 'input_tok_s',
      stated: input_tok_s,
      amount: input_tokens,
      amountName: 'input tokens',
    });
  }
  if (total_tok_s !== undefined && input_tokens !== undefined && output_tokens !== undefined) {
    const amount = input_tokens + output_tokens;
    claims.push({ ...common, name: 'total_tok_s', stated: total_tok_s, amount, amountName: 'tokens' });
  }
  return claims;
}

export const a3TokenRate: Check = {
  id: 'A3',
  code: 'token_rate_contradicts',
  title,
  rule: '',
  check({ result }) {
    if (result.kind !== 'serving') return 'not_applicable';
    const { output_tok_s, input_tok_s, total_tok_s } = result.metrics;
    if (output_tok_s === undefined && input_tok_s === undefined && total_tok_s === undefined) return 'not_applicable';
    const claims = [...batchClaims(result), ...windowClaims(result)];
    return claims.length === 0 ? unchecked(title, ['token counts', 'a duration']) : answer(claims.flatMap(checkRate));
  },
};
