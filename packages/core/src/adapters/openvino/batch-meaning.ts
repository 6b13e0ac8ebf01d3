import { parseNumber } from '../reading/figures/numbers.ts';
import { meanOf } from '../reading/figures/samples.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';

/** What the averages of a batch count: one step of all sequences, or one token of one of them. */
export interface BatchMeaning {
  second: 'step' | 'token';
  /** False if the first latency is multiplied by the batch, as in 2025.0 and 2025.1. */
  firstIsPlain: boolean;
}

/** Latencies of an average line in ms. */
interface Latencies {
  first: number | undefined;
  second: number | undefined;
  batch: number;
}

/** Times of one step of the whole batch. All versions compute them in the same way. */
const inferLine =
  /^\s{0,8}\[ INFO \] \[([1-9]\d{0,5})\](?:\[P(\d{1,6})\])? First infer latency: ([\d.]{1,20}) ms(?:\/infer)?, other infers latency: ([\d.]{1,20}) ms\/infer, /;

/** Versions whose averages of a batch are those of one step, with both of its backends. */
const plainVersions = /^(?:2024\.6|2025\.[2-4])(?:\.|$)/;

/**
 * With the GenAI backend, 2026.0 and later divide the time of a step by the batch and compute the throughput from the quotient,
 * and versions before 2024.6 divide other figures. The log also contains the time of a step, which shows the meaning; null
 * if neither the log nor the version does.
 * https://github.com/openvinotoolkit/openvino.genai/issues/4484
 */
export function readBatchMeaning(
  artifact: ArtifactText,
  [from, to]: readonly [number, number],
  prompt: string,
  { first, second, batch }: Latencies,
  version: string | null,
): BatchMeaning | null {
  const firstSteps: number[] = [];
  const otherSteps: number[] = [];
  for (let line = from; line < to; line++) {
    const text = artifact.lineAt(line);
    if (text.length > 1000 || !text.includes(' infers latency: ')) continue;
    const [, iteration = '', ofPrompt = '0', firstStep = '', otherStep = ''] = inferLine.exec(text) ?? [];
    if (iteration === '' || ofPrompt !== prompt) continue;
    if (iteration === '1') firstSteps.length = otherSteps.length = 0;
    firstSteps.push(parseNumber(firstStep) ?? Number.NaN);
    otherSteps.push(parseNumber(otherStep) ?? Number.NaN);
  }
  const firstShare = (first ?? Number.NaN) / meanOf(firstSteps);
  const secondShare = (second ?? Number.NaN) / meanOf(otherSteps);
  if (Number.isNaN(secondShare))
    return version !== null && plainVersions.test(version) ? { second: 'step', firstIsPlain: true } : null;
  // A step of the log includes sampling and may be a little longer than the inference in it.
  const isShare = (share: number, expected: number) => share > expected * 0.95 && share < expected * 1.3;
  const firstIsPlain = isShare(firstShare, 1) || !isShare(firstShare, batch);
  if (isShare(secondShare, 1)) return { second: 'step', firstIsPlain };
  return isShare(secondShare, 1 / batch) ? { second: 'token', firstIsPlain } : null;
}
