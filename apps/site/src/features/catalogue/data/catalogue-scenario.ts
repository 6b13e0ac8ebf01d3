import { findNamedScenario } from '@inferboard/core/catalogue/scenario-names';
import type { MetricName } from '@inferboard/core/metrics/index';
import type { Scenario } from '../../../lib/api.ts';
import { formatCount } from '../../../lib/format.ts';
import { scenarioText } from '../../../lib/words.ts';

/** Ranking metrics for a scenario's systems, in order of preference. */
export const scenarioMetrics: readonly MetricName[] = [
  'decode_tok_s',
  'output_tok_s_per_gpu',
  'output_tok_s',
  'user_tok_s',
  'prefill_tok_s',
  'ttft_ms_mean',
  'ttft_ms_p99',
  'itl_ms_mean',
  'e2e_ms_mean',
  'tok_per_joule',
  'forward_ms',
  'backward_ms',
];

/** One sentence on a workload: the catalogue's, or the meaning of the numbers in its name. `used`: as in a result. */
export function describeScenario(id: string, used: Scenario | null): string {
  const named = findNamedScenario(id);
  if (named !== null) return named.description;
  if (used === null) return 'A workload that is named in results.';
  const { input_tokens: input, output_tokens: output, depth, kernel } = used;
  if (kernel !== null) {
    const sparse =
      kernel.sparsity === null ? '' : `, ${formatCount(Math.round((kernel.sparsity ?? 0) * 100))} % of it masked out`;
    return `A standalone attention kernel: ${kernel.case}, ${scenarioText(used).detail ?? 'shape not stated'}${sparse}.`;
  }
  const after = depth === null ? '' : `, with ${formatCount(depth)} tokens already in the cache`;
  if (input === 0 && output !== null) return `Decoding only: ${formatCount(output)} output tokens, no prompt${after}.`;
  if (output === 0 && input !== null)
    return `Prefill only: a prompt of ${formatCount(input)} tokens, no output${after}.`;
  if (input !== null && output !== null)
    return `Prompts of ${formatCount(input)} tokens, answers of ${formatCount(output)}${after}.`;
  if (output !== null) return `Answers of ${formatCount(output)} tokens${after}. The prompt length is not stated.`;
  if (input !== null) return `Prompts of ${formatCount(input)} tokens${after}. The output length is not stated.`;
  return scenarioText(used).detail === null
    ? 'A workload that is named in results.'
    : `${scenarioText(used).detail}${after}.`;
}
