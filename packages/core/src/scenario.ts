import { catalogueKey } from './catalogue/normalise.ts';

/** The work of a kernel micro-benchmark, in place of tokens. */
export interface KernelWork {
  /** The implementation timed, as the tool names it: "flexattention". */
  operation: string;
  /** The case it ran: "Causal Mask". */
  case: string;
  /** Tensor or mask shape, where the tool prints one. */
  shape: number[] | null;
  /** Share of the mask that is skipped, 0..1. */
  sparsity: number | null;
}

/** The task of an evaluation over a text that the tool does not name. */
export const unnamedText = 'text';

/** What an evaluation asked, in place of tokens. Scores compare where all of it is the same. */
export interface QualityTask {
  /** As the tool names it: "gsm8k". */
  task: string;
  /** "exact_match", "perplexity". */
  metric: string;
  /** How answers were taken from the output, where a tool tells several: "strict-match". */
  variant: string | null;
  /** Examples in the prompt; null where that is not stated. */
  fewShot: number | null;
  /** Tokens of a window of text; null where that is not stated or has no meaning. */
  context: number | null;
}

/** The workload asked of a system. Token counts are per request, as asked for; null where they were not stated. */
export interface Scenario {
  /** The shape: one of the catalogue's, or named by its data set and rounded lengths ("200-60"). */
  id: string;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  /** Tokens already in the KV cache before the timed part (llama-bench's depth). */
  depth: number | null;
  kernel: KernelWork | null;
  /** Absent of everything but evaluations. */
  quality?: QualityTask;
}

/** Mean tokens per request as a tool measured them; null where it does not say. No part of a workload's identity. */
export interface MeasuredLengths {
  inputTokens: number | null;
  outputTokens: number | null;
}

/** Tokens per request: those asked for, else the means that the tool measured. */
export function lengthsOf({
  scenario,
  lengths,
}: {
  scenario: Pick<Scenario, 'inputTokens' | 'outputTokens'>;
  lengths?: MeasuredLengths | null;
}): MeasuredLengths {
  return {
    inputTokens: scenario.inputTokens ?? lengths?.inputTokens ?? null,
    outputTokens: scenario.outputTokens ?? lengths?.outputTokens ?? null,
  };
}

/** The identity of a workload as text, see `systemKey`. */
export function scenarioKey(scenario: Scenario): string {
  const { id, inputTokens, outputTokens, dataset, depth, kernel, quality } = scenario;
  return JSON.stringify([
    id,
    inputTokens,
    outputTokens,
    dataset === null ? null : catalogueKey(dataset),
    depth,
    kernel && [kernel.operation, kernel.case, kernel.shape, kernel.sparsity],
    ...(quality === undefined
      ? []
      : [[quality.task, quality.metric, quality.variant, quality.fewShot, quality.context]]),
  ]);
}
