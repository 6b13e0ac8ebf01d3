import type { Fault } from '../../errors.ts';
import {
  type Adapter,
  noFacts,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type SystemFacts,
} from '../adapter.ts';
import { ArtifactError, addFaults } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { otherRunNote } from '../reading/context/other-run.ts';
import { type RunContext, readRunContexts } from '../reading/context/run-context.ts';
import { blocksAndRecords } from '../reading/documents/blocks-and-records.ts';
import { hasAny, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { checkMeasured, type Meaning, readBlockFigures } from '../reading/figures/block-figures.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { findServingBlocks, type ServingBlock } from '../reading/figures/serving-block.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { withServer } from '../serving/server-command.ts';
import { findLabel } from '../vllm/keys.ts';
import { readServingRecord } from '../vllm/serve-record.ts';
import { loadUnknown, toDefinitions, toServingLoad } from '../vllm/serving.ts';

const id = 'trtllm-benchmark-serving';
const name = 'trtllm benchmark_serving';
const own = ['user_throughput', 'avg_decoded_tokens_per_iter'];

const findRecords = recordFinder((value) =>
  hasAny(value, own) && hasAny(value, ['num_prompts', 'completed']) && hasAny(value, ['duration', 'mean_ttft_ms'])
    ? 'whole'
    : null,
);

/** The client supports any server with the OpenAI protocol, but is shipped with this engine. */
const engine: SystemFacts['engine'] = { value: 'tensorrt-llm', origin: 'inferred' };

type Read = { result: ParsedResult; ignored: string[] };

/** Accepted tokens per decoding step above 1 are draft tokens. */
const isSpeculative = (perStep: unknown) => typeof perStep === 'number' && perStep > 1.01;

function readRecord({ value, from, to }: JsonRecord): Read {
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !own.includes(key)));
  const { user_throughput: speed, avg_decoded_tokens_per_iter: perStep } = value;
  const faults: Fault[] = own.flatMap((key) => {
    const found = Object.hasOwn(value, key) ? value[key] : null;
    const isFigure = found === null || (typeof found === 'number' && found >= 0);
    const message = `/${key} must be a number that is not negative, or null.`;
    return isFigure ? [] : [{ code: 'value_invalid', line: from, pointer: `/${key}`, message }];
  });
  let read: Read | null = null;
  try {
    read = readServingRecord(rest, { from, to });
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    addFaults(faults, error.faults);
  }
  if (read === null || faults.length > 0) throw new ArtifactError(faults);
  const { result, ignored } = read;
  const isSpeed = typeof speed === 'number' && speed > 0 && Number.isFinite(speed);
  const { system, metrics, definitions, extra } = result;
  return {
    result: {
      ...result,
      system: {
        ...system,
        engine: system.engine ?? engine,
        features: { ...(isSpeculative(perStep) ? { speculative_decoding: true } : {}), ...system.features },
      },
      metrics: isSpeed ? { ...metrics, user_tok_s: speed } : metrics,
      definitions: isSpeed ? { ...definitions, user_tok_s: 'client' } : definitions,
      extra: typeof perStep === 'number' && Number.isFinite(perStep) ? { ...extra, tokens_per_step: perStep } : extra,
    },
    ignored,
  };
}

/** Labels in addition to those of vLLM's block. */
const labels: Record<string, Meaning> = {
  'user throughput (tok/s)': { kind: 'metric', name: 'user_tok_s' },
  'total requests': { kind: 'extra', name: 'requests_sent' },
  'mean request ar': { kind: 'extra', name: 'tokens_per_step' },
  'median request ar': { kind: 'extra', name: 'tokens_per_step_p50' },
};

function meaningOf(key: string): Meaning {
  return (Object.hasOwn(labels, key) ? labels[key] : undefined) ?? findLabel(key);
}

const isBenchmark = ([program = '']: readonly string[]) =>
  program === 'tensorrt_llm.serve.scripts.benchmark_serving' || /(?:^|[/\\])benchmark_serving\.py$/.test(program);

const contextsIn = cachedPerArtifact((artifact) => readRunContexts(artifact, findServingBlocks(artifact), isBenchmark));

/** A limit from the block, else from the context. Undefined: not stated; null: none. */
function limit(printed: string | undefined, context: RunContext | null, option: string): number | null | undefined {
  const text = printed ?? context?.text(option);
  // Without the option the program sends everything at once without a cap.
  if (text == null) return context === null || context.differs(option) ? undefined : null;
  return isMissing(text) ? null : (parseNumber(text) ?? undefined);
}

const whole = (value: number | null | undefined) => (value != null && Number.isSafeInteger(value) ? value : null);

/** Lengths of the random data set, if the options fix them. */
function lengthsOf(context: RunContext | null): { input: number | null; output: number | null } {
  const ratio = context?.number('random_range_ratio') ?? 0;
  if (context?.text('dataset_name') !== 'random' || ratio > 0) return { input: null, output: null };
  return { input: whole(context.number('random_input_len')), output: whole(context.number('random_output_len')) };
}

function readBlock(artifact: ArtifactText, block: ServingBlock): Read {
  const { metrics, extra, facts, ignored } = readBlockFigures(block.rows, meaningOf);
  const context = contextsIn(artifact).get(block) ?? null;
  const otherRun = otherRunNote(metrics, lengthsOf(context));
  const own = otherRun === null ? context : null;
  const sent = extra.requests_sent ?? whole(own?.number('num_prompts'));
  checkMeasured(metrics, block.from, sent);
  // A latency of 0 was not measured: nothing was streamed, or responses had one token.
  for (const [name, value] of metrics)
    if (name.includes('_ms_') && !name.endsWith('_sd') && value === 0) metrics.delete(name);
  const ok = metrics.get('requests_ok') ?? 0;
  if (sent !== null && sent === ok && !metrics.has('requests_failed')) metrics.set('requests_failed', 0);
  const asked = {
    rate: limit(facts.get('request_rate'), own, 'request_rate'),
    cap: limit(facts.get('max_concurrency'), own, 'max_concurrency'),
    burstiness: own?.number('burstiness') ?? null,
    sent: sent ?? ok,
  };
  const { load, notes } = toServingLoad(asked, metrics);
  const all: ReaderNote[] = load === null ? [...notes, loadUnknown()] : notes;
  if (otherRun !== null) all.push(otherRun);
  if (!block.isClosed) {
    const message = 'The block has no closing rule: the paste was cut, and figures may be missing.';
    all.push({ code: 'truncated', severity: 'info', message, evidence: { from: block.from, to: block.to } });
  }
  const { input, output } = lengthsOf(own);
  const dataset = own?.text('dataset_name') ?? null;
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(context?.text('model') ?? null, 'context'),
      features: isSpeculative(extra.tokens_per_step) ? { speculative_decoding: true } : {},
    },
    scenario: {
      ...noScenario,
      inputTokens: input === null ? null : { value: input, origin: 'context' },
      outputTokens: output === null ? null : { value: output, origin: 'context' },
      dataset: dataset === null ? null : { value: dataset, origin: 'context' },
    },
    load,
    metrics: Object.fromEntries(metrics),
    definitions: { ...toDefinitions(metrics.keys()), ...(metrics.has('user_tok_s') ? { user_tok_s: 'client' } : {}) },
    extra,
    notes: all,
    lines: { from: block.from, to: block.to },
  };
  const served = withServer(result, artifact, block);
  return { result: { ...served, system: { ...served.system, engine: served.system.engine ?? engine } }, ignored };
}

/**
 * TensorRT-LLM's `benchmark_serving`, a copy of vLLM's client with additional figures: the speed per user, and the tokens
 * accepted per decoding step. The other formulas are vLLM's: ITL is the gap between stream chunks.
 *
 * Written by https://github.com/NVIDIA/TensorRT-LLM/blob/main/tensorrt_llm/serve/scripts/benchmark_serving.py
 */
export const trtllmBenchmarkServing: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'JSON with num_prompts, duration and user_throughput, or a block "Serving Benchmark Result" with User throughput',
  command: 'python -m tensorrt_llm.serve.scripts.benchmark_serving --model MODEL --save-result',
  ...blocksAndRecords({
    id,
    name,
    findBlocks: findServingBlocks,
    isOurs: ({ owner }) => owner === 'tensorrt-llm',
    readBlock,
    findRecords,
    readRecord,
  }),
};
