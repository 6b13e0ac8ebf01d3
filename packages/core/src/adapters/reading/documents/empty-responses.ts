import type { MetricName } from '../../../metrics/index.ts';
import { recordedLatencies, succeeded } from '../../../records/measure.ts';
import type { RequestRecord } from '../../../records.ts';
import type { ReaderNote } from '../../adapter.ts';
import type { RequestArrays } from './request-arrays.ts';

interface Figures {
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
}

/** Latencies that include empty responses. Gaps and times per token do not, but the records may give them as well. */
const affected: readonly string[] = ['ttft_ms', 'e2e_ms'];

/** Sum of a token count over requests; null if any lacks it. */
function sumOf(requests: readonly RequestRecord[], tokens: 'inputTokens' | 'outputTokens'): number | null {
  return requests.reduce<number | null>((sum, request) => {
    const count = request[tokens];
    return sum === null || count === null ? null : sum + count;
  }, 0);
}

function put(metrics: Map<MetricName, number>, name: MetricName, value: number | null): void {
  if (!metrics.has(name)) return;
  if (value === null) metrics.delete(name);
  else metrics.set(name, value);
}

/**
 * Clients count a response without tokens and without an error as completed: its time to first token of 0 s is part of their
 * latencies. Counts such responses as failed, computes counts and rates without them over the stated duration, and removes
 * latencies that include them or that the records give. Returns a note, or null if there are no such responses.
 */
export function dropEmptyResponses(
  { metrics, extra }: Figures,
  requests: readonly RequestRecord[],
  { errors }: RequestArrays,
): ReaderNote | null {
  const ok = succeeded(requests);
  const empty = requests.filter(({ error }, index) => error !== null && (errors?.[index] ?? '') === '').length;
  const completed = metrics.get('requests_ok');
  // If no response has tokens, the model has no output: it makes embeddings.
  if (empty === 0 || ok.length === 0 || completed !== ok.length + empty) return null;
  const duration = metrics.get('duration_s') ?? 0;
  const [input, output] = [sumOf(ok, 'inputTokens'), sumOf(ok, 'outputTokens')];
  const rate = (amount: number | null) => (amount === null || duration <= 0 ? null : amount / duration);
  metrics.set('requests_ok', ok.length);
  metrics.set('requests_failed', (metrics.get('requests_failed') ?? 0) + empty);
  put(metrics, 'input_tokens', input);
  put(metrics, 'output_tokens', output);
  put(metrics, 'req_s', rate(ok.length));
  put(metrics, 'input_tok_s', rate(input));
  put(metrics, 'output_tok_s', rate(output));
  put(metrics, 'total_tok_s', rate(input === null || output === null ? null : input + output));
  // An empty response meets every limit.
  metrics.delete('goodput_req_s');
  const hasGaps = ok.every(({ gapsMs }) => gapsMs !== null);
  const bases = hasGaps ? recordedLatencies : affected;
  const isLatency = (name: string) => bases.some((base) => name.startsWith(`${base}_`));
  for (const name of [...metrics.keys()]) if (isLatency(name)) metrics.delete(name);
  for (const name of Object.keys(extra)) if (isLatency(name)) delete extra[name];
  const message = `${empty} of ${completed} responses are empty. The tool counts them as completed, with a TTFT of 0; here they count as failed, and the figures are without them.`;
  return { code: 'empty_responses', severity: 'warning', message, evidence: { empty, completed } };
}
