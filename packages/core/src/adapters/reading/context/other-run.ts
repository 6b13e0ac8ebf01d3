import type { MetricName } from '../../../metrics/index.ts';
import type { ReaderNote } from '../../adapter.ts';

/** Lengths that a command requests for all requests; null if they vary or are not stated. */
interface Lengths {
  input: number | null;
  output: number | null;
}

/** Maximum ratio of a measured mean and the requested length in one run. */
const ratioMax = 1.5;
/** Special tokens and chat templates add this many tokens at most. */
const addedMax = 32;

const isAbove = (tokens: number, other: number) => tokens > ratioMax * other + addedMax;

/**
 * A note if the totals of a block show that its requests had clearly different lengths than a command requests, so that the
 * block is of another run; null otherwise. Responses may be shorter than requested.
 */
export function otherRunNote(metrics: ReadonlyMap<MetricName, number>, { input, output }: Lengths): ReaderNote | null {
  const mean = (name: MetricName) => (metrics.get(name) ?? Number.NaN) / (metrics.get('requests_ok') ?? Number.NaN);
  const [prompt, answer] = [mean('input_tokens'), mean('output_tokens')];
  const isOtherInput = input !== null && (isAbove(prompt, input) || isAbove(input, prompt));
  const isOtherOutput = output !== null && isAbove(answer, output);
  if (!isOtherInput && !isOtherOutput) return null;
  const [kind, stated, measured] = isOtherInput ? ['input', input, prompt] : ['output', output, answer];
  const message = `The command before the block requests ${stated} ${kind} tokens, but the block has ${Math.round(measured)} per request: the command is of another run, and its workload and load are not used.`;
  const evidence = { tokens: kind, requested: stated, measured };
  return { code: 'command_of_other_run', severity: 'warning', message, evidence };
}
