import { noFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { readRunContext } from '../reading/context/run-context.ts';
import { checkMeasured, readBlockFigures } from '../reading/figures/block-figures.ts';
import type { ServingBlock } from '../reading/figures/serving-block.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { sglangLabel } from './serving-names.ts';
import { engineOf, type ServingRun } from './serving-run.ts';
import { toCap, toRate, toWorkload } from './serving-workload.ts';

const isBenchServing = ([program = '']: readonly string[]) =>
  program === 'sglang.bench_serving' || /(?:^|[/\\])bench_serving\.py$/.test(program);

function whole(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

/** Reads a console block and the log between the previous block and it, from line `after` on. Throws `ArtifactError`. */
export function readConsoleRun(
  artifact: ArtifactText,
  block: ServingBlock,
  after: number,
): { run: ServingRun; ignored: string[] } {
  const { metrics, extra, facts, ignored } = readBlockFigures(block.rows, sglangLabel);
  const context = readRunContext(artifact, after, block.from - 1, isBenchServing);
  const sent = whole(context?.number('num_prompts', 'num_prompt') ?? null);
  checkMeasured(metrics, block.from, sent);
  const backend = facts.get('backend') ?? context?.text('backend') ?? null;
  const rate = facts.get('request_rate') ?? context?.text('request_rate');
  const cap = facts.get('max_concurrency') ?? context?.text('max_concurrency');
  const named = modelFacts(context?.text('model', 'served_model_name') ?? null, 'context');
  const run: ServingRun = {
    from: block.from,
    to: block.to,
    isClosed: block.isClosed,
    backend,
    requestRate: rate == null ? undefined : toRate(rate),
    maxConcurrency: cap == null ? undefined : toCap(cap),
    sent,
    figures: { metrics, extra },
    system: { ...noFacts, ...named, engine: engineOf(backend) },
    ...toWorkload({
      dataset: context?.text('dataset_name') ?? null,
      sharegptOutput: whole(context?.number('sharegpt_output_len') ?? null),
      randomInput: whole(context?.number('random_input_len', 'random_input') ?? null),
      randomOutput: whole(context?.number('random_output_len', 'random_output') ?? null),
      randomRatio: context?.number('random_range_ratio') ?? null,
    }),
    origin: 'context',
    requests: null,
  };
  return { run, ignored };
}
