import { findNamedScenario } from '@inferboard/core/catalogue/scenario-names';
import type { MetricName } from '@inferboard/core/metrics/index';
import type { Scenario } from './api.ts';
import { formatCount } from './format.ts';
import { scenarioText } from './words.ts';

/** What a scenario's systems are ranked by, where they have it. */
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

/** One sentence on a workload: the catalogue's, or what the numbers in its name mean. `used`: as some result has it. */
export function describeScenario(id: string, used: Scenario | null): string {
  const named = findNamedScenario(id);
  if (named !== null) return named.description;
  if (used === null) return 'A workload that results name.';
  const { input_tokens: input, output_tokens: output, depth, kernel } = used;
  if (kernel !== null) {
    const sparse =
      kernel.sparsity === null ? '' : `, ${formatCount(Math.round((kernel.sparsity ?? 0) * 100))} % of it masked out`;
    return `An attention kernel by itself: ${kernel.case}, ${scenarioText(used).detail ?? 'shape not stated'}${sparse}.`;
  }
  const after = depth === null ? '' : `, with ${formatCount(depth)} tokens in the cache before`;
  if (input === 0 && output !== null)
    return `Nothing but decoding: ${formatCount(output)} tokens written, no prompt${after}.`;
  if (output === 0 && input !== null)
    return `Nothing but prefill: a prompt of ${formatCount(input)} tokens read, none written${after}.`;
  return scenarioText(used).detail === null ? 'A workload that results name.' : `${scenarioText(used).detail}${after}.`;
}
