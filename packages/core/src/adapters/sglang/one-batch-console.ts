import { namesOtherModel } from '../reading/context/named-model.ts';
import { type RunContext, readRunContexts } from '../reading/context/run-context.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { inProcessSystem } from './arguments.ts';
import type { OneBatchRun } from './one-batch-run.ts';

/** The lines of one batch: its prefill, its steps with their median, and its total. Lines are 1-based and inclusive. */
export interface OneBatchBlock {
  from: number;
  to: number;
  /** Printed by the warm-up, which does not count. */
  isWarmup: boolean;
  /** Number of measured blocks before it since the marker `Benchmark ...`. */
  position: number;
  isClosed: boolean;
  batch: number | null;
  prefill: [number | null, number | null];
  step: [number | null, number | null];
  total: [number | null, number | null];
}

const figures =
  /\.\s{1,4}(?:median )?latency:\s{0,12}([\d.]{1,20}) s, (?:median )?throughput:\s{0,20}([\d.]{1,20}) token\/s\s*$/;
const line = /^\s{0,8}(Prefill|Decode(?: \d{1,6})?|Total)\./;
const marker = /^\s{0,8}(Warmup|Benchmark) \.\.\.\s*$/;
const batchSize = /Batch size: (\d{1,7}),/;

function pairOf(text: string): [number | null, number | null] {
  const found = figures.exec(text);
  return [parseNumber(found?.[1] ?? ''), parseNumber(found?.[2] ?? '')];
}

/** The program was called `bench_latency` until November 2024. */
const isOneBatch = ([program = '']: readonly string[]) =>
  /^(?:sglang\.bench_one_batch|sglang\.bench_latency|sglang\.benchmark\.one_batch|sgl_jax\.bench_one_batch)$/.test(
    program,
  ) || /(?:^|[/\\])bench_(?:one_batch|latency)\.py$/.test(program);

function scan(artifact: ArtifactText): OneBatchBlock[] {
  if (!(artifact.has('Prefill') || artifact.has('Decode'))) return [];
  const blocks: OneBatchBlock[] = [];
  let current: OneBatchBlock | null = null;
  let isWarmup = false;
  /** Whether a line `Benchmark ...` came before. */
  let isMarked = false;
  let position = 0;
  for (const at of artifact.linesWith(' ...', 'latency:')) {
    const text = artifact.lineAt(at);
    if (text.length > 400) continue;
    const phase = text.includes(' ...') ? marker.exec(text)?.[1] : undefined;
    if (phase !== undefined) {
      // The warm-up ends directly before the first marker, even if the line `Warmup ...` was not copied.
      const last = blocks.at(-1);
      if (phase === 'Benchmark' && !isMarked && last?.isClosed && last.to === at - 1) last.isWarmup = true;
      isMarked ||= phase === 'Benchmark';
      [isWarmup, position, current] = [phase === 'Warmup', 0, null];
      continue;
    }
    const word = text.includes('latency:') ? line.exec(text)?.[1] : undefined;
    if (word === undefined) continue;
    if (word === 'Prefill') {
      const none: [null, null] = [null, null];
      current = {
        from: at,
        to: at,
        isWarmup,
        position,
        isClosed: false,
        batch: null,
        prefill: pairOf(text),
        step: none,
        total: none,
      };
      blocks.push(current);
      if (!isWarmup) position++;
    } else if (current !== null) {
      current.to = at;
      if (word === 'Total') [current.total, current.isClosed, current] = [pairOf(text), true, null];
      else if (text.includes('median latency:')) current.step = pairOf(text);
      else current.batch ??= parseNumber(batchSize.exec(text)?.[1] ?? '');
    }
  }
  // Other programs print these words too, so a batch must have enough lines to identify the tool.
  const isOurs = blocks.some(({ prefill, step, total }) => prefill[0] !== null && (step[0] ?? total[0]) !== null);
  return isOurs ? blocks : [];
}

/** All measured batches in order of appearance, or the warm-up batches if there are no others. */
export const findOneBatchBlocks = cachedPerArtifact((artifact): OneBatchBlock[] => {
  const all = scan(artifact);
  const measured = all.filter((block) => !block.isWarmup);
  return measured.length > 0 ? measured : all;
});

const batchOption = ['batch_size', 'batch'] as const;
const inputOption = ['input_len', 'input'] as const;
const outputOption = ['output_len', 'output'] as const;
const sizeOptions = [batchOption, inputOption, outputOption];

/** Sizes as requested. The program runs every combination; the last option changes fastest. */
function sizesOf(context: RunContext, position: number): { batch: number; input: number; output: number } | null {
  // Without an option a default applies, but not if the block may be of commands with other sizes.
  if (sizeOptions.some((names) => context.differs(...names))) return null;
  const or = (values: number[], fallback: number) => (values.length > 0 ? values : [fallback]);
  const batches = or(context.numbers(...batchOption), 1);
  const inputs = or(context.numbers(...inputOption), 1024);
  const given = context.numbers(...outputOption);
  // The default length of responses of `bench_latency` is not known for every release.
  if (given.length === 0 && context.argument(0)?.includes('bench_latency')) return null;
  const outputs = or(given, 16);
  const batch = batches[Math.floor(position / (inputs.length * outputs.length))];
  const input = inputs[Math.floor(position / outputs.length) % inputs.length];
  const output = outputs[position % outputs.length];
  return batch === undefined || input === undefined || output === undefined ? null : { batch, input, output };
}

/** Relative tolerance between the prompt tokens from the prefill's figures and the sizes. Latencies are printed to 0.01 ms. */
const sizeTolerance = 0.02;

function fits({ prefill: [seconds, tokS] }: OneBatchBlock, batch: number, input: number): boolean {
  if (seconds === null || tokS === null || seconds < 0.001) return true;
  return Math.abs(seconds * tokS - batch * input) <= sizeTolerance * batch * input;
}

/** Reads one block, with the command line of its run. */
export function readOneBatchBlock(artifact: ArtifactText, block: OneBatchBlock): OneBatchRun {
  const context = contextsOf(artifact).get(block.from) ?? null;
  const sizes = context === null ? null : sizesOf(context, block.position);
  // The sizes of the command must fit the printed figures; otherwise another command printed them.
  const agreed = sizes !== null && fits(block, sizes.batch, sizes.input) ? sizes : null;
  return {
    from: block.from,
    to: block.to,
    runName: null,
    batch: block.batch ?? agreed?.batch ?? null,
    inputTokens: agreed?.input ?? null,
    outputTokens: agreed?.output ?? null,
    prefillS: block.prefill[0],
    prefillTokS: block.prefill[1],
    stepS: block.step[0],
    decodeTokS: block.step[1],
    totalS: block.total[0],
    totalTokS: block.total[1],
    system: inProcessSystem(agreed === null ? null : context),
    origin: 'context',
    repetition: null,
    isClosed: block.isClosed,
  };
}

/**
 * Context by the line of each block. A run prints several blocks. One without a command has that of the previous run, unless
 * the text between them names another model.
 */
const contextsOf = cachedPerArtifact((artifact) => {
  const blocks = findOneBatchBlocks(artifact);
  const runs: { from: number; to: number; blocks: OneBatchBlock[] }[] = [];
  for (const block of blocks) {
    const run = block.position === 0 ? undefined : runs.at(-1);
    if (run === undefined) runs.push({ from: block.from, to: block.to, blocks: [block] });
    else {
      run.to = block.to;
      run.blocks.push(block);
    }
  }
  const contextOf = readRunContexts(artifact, runs, isOneBatch);
  const contexts = new Map<number, RunContext | null>();
  let last: { context: RunContext; model: string | null } | null = null;
  let end = 0;
  for (const run of runs) {
    const own = contextOf.get(run);
    if (own !== undefined) last = { context: own, model: own.text('model_path', 'model') };
    else if (last !== null && last.model !== null && namesOtherModel(artifact, end + 1, run.from - 1, last.model))
      last = null;
    end = run.to;
    for (const { from } of run.blocks) contexts.set(from, last?.context ?? null);
  }
  return contexts;
});
