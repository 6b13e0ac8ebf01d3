import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import {
  type Adapter,
  type Fact,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from '../adapter.ts';
import { otherRunNote } from '../reading/context/other-run.ts';
import { type BlockFigures, checkMeasured, readBlockFigures } from '../reading/figures/block-figures.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { findServingBlocks, type ServingBlock } from '../reading/figures/serving-block.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { withServer } from '../serving/server-command.ts';
import { ofAnyRun, type RunContext, readContexts } from './context.ts';
import { findLabel, toFamily } from './keys.ts';
import {
  type Asked,
  dropZeroFamilies,
  loadUnknown,
  speculation,
  toDefinitions,
  toEngine,
  toServingLoad,
} from './serving.ts';

/** The figures of one block, and notes about latencies that were printed as zero, so not measured. */
interface Figures extends BlockFigures {
  zeroNotes: ReaderNote[];
}

function readFigures(block: ServingBlock): Figures {
  const figures = readBlockFigures(block.rows, findLabel);
  const families = new Map(
    [...figures.metrics.keys()].flatMap((name) => {
      const family = toFamily(name);
      return family === null ? [] : [[name, family] as const];
    }),
  );
  // Nonzero only for audio.
  if (figures.extra.rtfx === 0) delete figures.extra.rtfx;
  return { ...figures, zeroNotes: dropZeroFamilies(figures.metrics, families) };
}

/** Labels that only newer versions print. Those versions always print an existing rate and cap. */
const recent = new Set([
  'failed requests',
  'peak output token throughput (tok/s)',
  'peak concurrent requests',
  'maximum request concurrency',
  'max concurrency',
]);

/** A printed limit of the block: null for none, undefined if the label is absent. */
function limitOf({ facts }: Figures, name: string): number | null | undefined {
  const text = facts.get(name);
  if (text === undefined) return undefined;
  return isMissing(text) ? null : (parseNumber(text) ?? undefined);
}

/** The requested load, from the block or else from the log before it. */
function toAsked(block: ServingBlock, figures: Figures, context: RunContext | null): Asked {
  const unsaid = block.rows.some((row) => recent.has(row.key)) ? null : undefined;
  const rate = limitOf(figures, 'request_rate');
  const cap = limitOf(figures, 'max_concurrency');
  const ok = figures.metrics.get('requests_ok') ?? 0;
  return {
    rate: rate !== undefined ? rate : context?.requestRate === undefined ? unsaid : context.requestRate,
    cap: cap !== undefined ? cap : context?.maxConcurrency === undefined ? unsaid : context.maxConcurrency,
    burstiness: context?.burstiness ?? null,
    sent: context?.numPrompts ?? ok + (figures.metrics.get('requests_failed') ?? 0),
  };
}

function toNotes(block: ServingBlock, figures: Figures, context: RunContext | null): ReaderNote[] {
  const notes = [...figures.zeroNotes];
  if (!block.isClosed) {
    const message = 'The block has no closing rule: the paste was cut, and figures may be missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from: block.from, to: block.to } });
  }
  const asked = context?.numPrompts ?? null;
  const ok = figures.metrics.get('requests_ok');
  if (asked !== null && ok !== undefined && ok < asked && !figures.metrics.has('requests_failed')) {
    const message = `${asked} requests were planned and ${ok} succeeded; this version does not state whether the others failed.`;
    const evidence = { num_prompts: asked, requests_ok: ok };
    notes.push({ code: 'requests_unaccounted', severity: 'warning', message, evidence });
  }
  return notes;
}

/** How the requests were sent, and a note if it is unknown. */
function readLoad(block: ServingBlock, figures: Figures, context: RunContext | null) {
  const ramp = context?.rampUp ?? null;
  if (ramp !== null) return { load: null, notes: [loadUnknown({ ramp_up: ramp })] };
  const trace = 'The requests had the times of a recorded trace, which is not a rate.';
  if (context?.isSelfTimed === true) return { load: null, notes: [loadUnknown({ self_timed: true }, trace)] };
  const { load, notes } = toServingLoad(toAsked(block, figures, context), figures.metrics);
  return { load, notes: load === null ? [...notes, loadUnknown()] : notes };
}

function fromContext<T>(value: T | null | undefined): Fact<T> | null {
  return value === null || value === undefined ? null : { value, origin: 'context' };
}

function toResult(block: ServingBlock, before: RunContext | null): { result: ParsedResult; ignored: string[] } {
  const figures = readFigures(block);
  const requested = { input: before?.inputTokens ?? null, output: before?.outputTokens ?? null };
  const otherRun = otherRunNote(figures.metrics, requested);
  const context = otherRun === null || before === null ? before : ofAnyRun(before);
  const first = block.rows.find((row) => row.key === 'successful requests')?.line ?? block.from;
  const isEmpty = figures.metrics.get('requests_ok') === 0;
  const sent = context?.numPrompts ?? figures.metrics.get('requests_failed') ?? null;
  checkMeasured(figures.metrics, isEmpty ? first : block.from, sent);
  const { load, notes } = readLoad(block, figures, context);
  const hint = context?.model == null ? null : quantizationHint(context.model);
  const engine = toEngine(context?.backend ?? null);
  // All requested prompts succeeded, so none failed. The reverse is not certain (see the note).
  if (context?.numPrompts === figures.metrics.get('requests_ok') && !figures.metrics.has('requests_failed')) {
    figures.metrics.set('requests_failed', 0);
  }
  const ratio = context?.randomRangeRatio ?? null;
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      model: fromContext(context?.model),
      quantization: hint === null ? null : { value: hint, origin: 'inferred' },
      engine: engine === null ? null : { value: engine, origin: 'inferred' },
      features: speculation(figures.extra),
    },
    scenario: {
      ...noScenario,
      inputTokens: fromContext(context?.inputTokens),
      outputTokens: fromContext(context?.outputTokens),
      dataset: fromContext(context?.dataset),
    },
    load,
    metrics: Object.fromEntries(figures.metrics),
    definitions: toDefinitions(figures.metrics.keys()),
    limits: context?.limits ?? null,
    extra: { ...figures.extra, ...(ratio === null ? {} : { random_range_ratio: ratio }) },
    notes: [...toNotes(block, figures, context), ...(otherRun === null ? [] : [otherRun]), ...notes],
    lines: { from: block.from, to: block.to },
  };
  return { result, ignored: figures.ignored };
}

const contextsIn = cachedPerArtifact((artifact) => readContexts(artifact, findServingBlocks(artifact)));

/**
 * The console block of `vllm bench serve` and its predecessor `benchmark_serving.py`, with the log lines before it if
 * present. ITL is the gap between stream chunks, TPOT excludes the first token, and TTFT counts from sending.
 *
 * Written by https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/serve.py (function `benchmark`).
 */
export const vllmBenchServe: Adapter = {
  id: 'vllm-bench-serve',
  title: 'vllm bench serve',
  kind: 'serving',
  recognises: 'a console block under "Serving Benchmark Result" as vLLM prints it',
  command: 'vllm bench serve --model MODEL | tee result.txt',
  detect: (artifact) =>
    findServingBlocks(artifact)
      .filter((block) => block.owner === 'vllm')
      .map(({ from, to }) => ({ adapter: 'vllm-bench-serve', from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findServingBlocks(artifact), claim.from);
    const tool = { name: 'vllm bench serve', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const { result, ignored } = toResult(found, contextsIn(artifact).get(found) ?? null);
    return { tool, results: [withServer(result, artifact, found)], ignored, ...noRemarks };
  },
};
