import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { maxResults, tooManyResults } from '../errors.ts';
import { optionValues } from '../reading/context/command-line.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type LlamaContext, readLlamaContext } from './context.ts';
import { isForkCommand, toLlamaEngine } from './figures.ts';
import { gpusUsed, offloadOf } from './gpus.ts';
import { landmarksBefore } from './landmarks.ts';
import { findTimingBlocks, isOneAtATime, type TimingBlock } from './timings-block.ts';

const id = 'llama-timings';

/** The text before the first block after a command or a loaded model also applies to the other blocks. */
function contextsOf(artifact: ArtifactText, blocks: readonly TimingBlock[]): (block: TimingBlock) => LlamaContext {
  const contexts = new Map<string, LlamaContext>();
  const whole = { from: 1, to: artifact.lines.length };
  const keyOf = ({ from, program }: TimingBlock) => landmarksBefore(artifact, from, program);
  const read = (block: TimingBlock) => readLlamaContext(artifact, block, whole, null, block.program);
  for (const block of blocks) {
    const key = keyOf(block);
    if (!contexts.has(key)) contexts.set(key, read(block));
  }
  return (block) => contexts.get(keyOf(block)) ?? read(block);
}

/** Without the command, the old layout of the server is of llama.cpp or of ik_llama.cpp. */
function toEngine({ command, build }: LlamaContext, isOldServer: boolean) {
  if (isForkCommand(command)) return toLlamaEngine(build?.number, 'ik_llama.cpp');
  return isOldServer ? {} : toLlamaEngine(build?.number);
}

function toSystem(context: LlamaContext, { acceptance, isOldServer }: TimingBlock): SystemFacts {
  const { model, fileType, command, devices, found } = context;
  const [name] = devices;
  const option = (...names: string[]) => (command === null ? undefined : optionValues(command, ...names).at(-1));
  const isOneKind = devices.every((other) => other === name);
  const count = gpusUsed(found, {
    devices: option('-dev', '--device'),
    tensorSplit: option('-ts', '--tensor-split'),
    splitMode: option('-sm', '--split-mode'),
  });
  const hint = model === null ? null : quantizationHint(model.value);
  return {
    ...noFacts,
    model,
    quantization: hint === null ? fileType : { value: hint, origin: 'inferred' },
    gpu: name === undefined || !isOneKind ? null : { value: name, origin: 'context' },
    gpuCount: count === null || !isOneKind ? null : { value: count, origin: 'context' },
    ...toEngine(context, isOldServer),
    features: { ...(acceptance === null ? {} : { speculative_decoding: true }), ...offloadOf(command) },
  };
}

function toMetrics(block: TimingBlock, isAlone: boolean): [MetricName, number][] {
  const { prompt, promptTokens, output, totalMs, program } = block;
  const isServer = program === 'llama-server';
  // A server times only the uncached part of a prompt.
  const isWhole = !isServer || (promptTokens !== null && promptTokens === prompt?.count);
  const metrics: [MetricName, number | null][] = [
    ['prefill_tok_s', prompt?.tokS ?? null],
    ['user_tok_s', output.tokS],
    // If a server handles several requests at once, this is the speed of one of them.
    ['decode_tok_s', isAlone || !isServer ? output.tokS : null],
    // The program's own total includes loading, sampling and the time of user input.
    ['e2e_ms_mean', isServer ? totalMs : null],
    ['requests_ok', 1],
    ['input_tokens', isWhole ? (prompt?.count ?? null) : null],
    ['output_tokens', isServer ? output.count : null],
  ];
  return metrics.filter((entry): entry is [MetricName, number] => entry[1] !== null && entry[1] > 0);
}

const definitions: Record<string, string> = {
  prefill_tok_s: 'in_process',
  user_tok_s: 'in_process',
  decode_tok_s: 'in_process',
  e2e_ms: 'request',
};

function toResult(block: TimingBlock, context: LlamaContext, isAlone: boolean, repetition: number): ParsedResult {
  const { prompt, output, acceptance, program } = block;
  const isServer = program === 'llama-server';
  const metrics = toMetrics(block, isAlone);
  const unknown = 'The log does not state how many requests the server answered at the same time.';
  return {
    ...noResult,
    system: toSystem(context, block),
    load: isServer ? (isAlone ? { mode: 'concurrency', level: 1 } : null) : { mode: 'batch', level: 1 },
    repetition,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: {
      ...(isServer && prompt?.count != null ? { prompt_tokens_evaluated: prompt.count } : {}),
      ...(isServer
        ? {}
        : { ...(block.totalMs === null ? {} : { total_ms: block.totalMs }), eval_runs: output.count ?? 0 }),
      ...(acceptance === null ? {} : { acceptance_rate: acceptance }),
    },
    notes: isServer && !isAlone ? [{ code: 'load_unknown', severity: 'warning', message: unknown, evidence: {} }] : [],
    lines: { from: block.from, to: block.to },
  };
}

/** All results together: the repetition number of a result depends on the previous ones. */
const readAll = cachedPerArtifact((artifact): ParsedResult[] => {
  const blocks = findTimingBlocks(artifact);
  if (blocks.length > maxResults) throw tooManyResults(blocks[0]?.from ?? 1);
  const contextOf = contextsOf(artifact, blocks);
  const isAlone = isOneAtATime(artifact);
  const seen = new Map<string, number>();
  const results = blocks.map((block) => {
    const context = contextOf(block);
    const system = `${block.program} ${context.model?.value ?? ''}`;
    const repetition = (seen.get(system) ?? 0) + 1;
    seen.set(system, repetition);
    return toResult(block, context, isAlone, repetition);
  });
  return results;
});

/**
 * The timings that llama-server prints for each request and llama-cli for its run. Both are measured in the process. A block
 * has the speeds of the prompt and of the response, or one of them and the total time. llama.cpp's benchmark programs print the same lines after their
 * own report, so these lines count only if the artifact has no report.
 *
 * Written by https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server.cpp (`print_timings`) and
 * https://github.com/ggml-org/llama.cpp/blob/master/src/llama-context.cpp (`llama_perf_context_print`).
 */
export const llamaTimings: Adapter = {
  id,
  title: "llama-server's and llama-cli's timings",
  kind: 'serving',
  recognises: 'lines "prompt eval time = N ms / N tokens", "eval time = N ms / N tokens" and "total time = N ms"',
  command:
    'llama-server -m MODEL.gguf 2>&1 | tee result.txt, or llama-cli -m MODEL.gguf -p PROMPT 2>&1 | tee result.txt',
  yields: true,
  detect: (artifact) => findTimingBlocks(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const results = readAll(artifact);
    const result = results[countBefore(findTimingBlocks(artifact), claim.from)];
    const tool = { name: 'llama.cpp timings', version: null };
    const isOwn = result?.lines.from === claim.from;
    return { tool, results: isOwn ? [result] : [], ignored: [], ...noRemarks };
  },
};
