import { noFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { otherRunNote } from '../reading/context/other-run.ts';
import { type RunContext, readRunContexts } from '../reading/context/run-context.ts';
import { checkMeasured, readBlockFigures } from '../reading/figures/block-figures.ts';
import { findServingBlocks, type ServingBlock } from '../reading/figures/serving-block.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { isSimulation, sglangLabel } from './serving-names.ts';
import { engineOf, type ServingRun } from './serving-run.ts';
import { toCap, toRate, toWorkload } from './serving-workload.ts';

const isBenchServing = ([program = '']: readonly string[]) =>
  /^(?:sglang\.bench_serving|sglang\.benchmark\.serving|sgl_jax\.bench_serving)$/.test(program) ||
  /(?:^|[/\\])bench_serving\.py$/.test(program);

function whole(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

const contextsIn = cachedPerArtifact((artifact) =>
  readRunContexts(artifact, findServingBlocks(artifact), isBenchServing),
);

const workloadOf = (context: RunContext | null) =>
  toWorkload({
    dataset: context?.text('dataset_name') ?? null,
    sharegptOutput: whole(context?.number('sharegpt_output_len') ?? null),
    randomInput: whole(context?.number('random_input_len', 'random_input') ?? null),
    randomOutput: whole(context?.number('random_output_len', 'random_output') ?? null),
    randomRatio: context?.number('random_range_ratio') ?? null,
  });

/** Reads a console block and the command before it. Throws `ArtifactError`. */
export function readConsoleRun(artifact: ArtifactText, block: ServingBlock): { run: ServingRun; ignored: string[] } {
  // A simulation prints -1 for what it does not simulate.
  const isSimulated = block.rows.some(isSimulation);
  const rows = isSimulated ? block.rows.filter(({ value }) => !/^-1(?:\.0+)?$/.test(value)) : block.rows;
  const { metrics, extra, facts, ignored } = readBlockFigures(rows, sglangLabel);
  const context = contextsIn(artifact).get(block) ?? null;
  const { inputTokens: input, outputTokens: output } = workloadOf(context);
  const otherRun = otherRunNote(metrics, { input, output });
  const own = otherRun === null ? context : null;
  const sent = whole(own?.number('num_prompts', 'num_prompt') ?? null);
  checkMeasured(metrics, block.from, sent);
  const backend = facts.get('backend') ?? context?.text('backend') ?? null;
  const rate = facts.get('request_rate') ?? own?.text('request_rate');
  const cap = facts.get('max_concurrency') ?? own?.text('max_concurrency');
  // A block without a cap was not capped, unless the commands that may be of its run differ.
  const isCapKnown = facts.has('max_concurrency') || own?.differs('max_concurrency') !== true;
  const named = modelFacts(context?.text('model', 'served_model_name') ?? null, 'context');
  const run: ServingRun = {
    from: block.from,
    to: block.to,
    isClosed: block.isClosed,
    backend,
    requestRate: rate == null || !isCapKnown ? undefined : toRate(rate),
    maxConcurrency: cap == null ? undefined : toCap(cap),
    sent,
    figures: { metrics, extra },
    isSimulated,
    system: { ...noFacts, ...named, engine: engineOf(backend) },
    ...workloadOf(own),
    origin: 'context',
    requests: null,
    notes: otherRun === null ? [] : [otherRun],
  };
  return { run, ignored };
}
