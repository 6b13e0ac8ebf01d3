import { catalogueKey } from '../catalogue/names/normalise.ts';

/** The work of a kernel micro-benchmark; it has no tokens. */
export interface KernelWork {
  /** The timed implementation, by the tool's name: "flexattention". */
  operation: string;
  /** The case: "Causal Mask". */
  case: string;
  /** Shape of the block mask if its `sparsity` is stated, else of the tensors. Null if the tool prints none. */
  shape: number[] | null;
  /** Skipped share of the mask, 0..1. */
  sparsity: number | null;
}

/** The task of an evaluation with a text that the tool does not name. */
export const unnamedText = 'text';

/** The task of an evaluation; it has no token counts. Scores are comparable only if all of it is equal. */
export interface QualityTask {
  /** The tool's name of the task: "gsm8k". */
  task: string;
  /** "exact_match", "perplexity". */
  metric: string;
  /** How responses were extracted from the output, if a tool has several methods: "strict-match". */
  variant: string | null;
  /** Examples in the prompt; null if not stated. */
  fewShot: number | null;
  /** Tokens of a text window; null if not stated or not applicable. */
  context: number | null;
}

/** The requested workload. Token counts are per request, as requested; null if not stated. */
export interface Scenario {
  /** The shape: one of the catalogue's, or one named by data set and rounded lengths ("200-60"). */
  id: string;
  inputTokens: number | null;
  outputTokens: number | null;
  dataset: string | null;
  /** Tokens already in the KV cache before the timed part (llama-bench's depth). */
  depth: number | null;
  kernel: KernelWork | null;
  /** Present only for evaluations. */
  quality?: QualityTask;
}

/** Mean tokens per request as measured by the tool; null if not stated. Not part of a workload's identity. */
export interface MeasuredLengths {
  inputTokens: number | null;
  outputTokens: number | null;
}

/** Tokens per request: the requested ones, else the measured means. */
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
