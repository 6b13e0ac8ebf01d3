import { quantizationHint } from '../catalogue/quantization-hint.ts';
import type { Fault } from '../errors.ts';
import type { KnownLoad } from '../load.ts';
import type { MetricName } from '../metrics/index.ts';
import {
  type Adapter,
  type Fact,
  noFacts,
  noRemarks,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from './adapter.ts';
import { ArtifactError } from './errors.ts';
import { findAt } from './reading/by-line.ts';
import { isMissing, parseNumber } from './reading/numbers.ts';
import { findServingBlocks, type ServingBlock } from './reading/serving-block.ts';
import { type RunContext, readContext } from './vllm-context.ts';
import { findLabel } from './vllm-labels.ts';

/** The figures of one block, sorted by what they are. */
interface Figures {
  metrics: Map<MetricName, number>;
  /** Metric bases whose mean was printed as zero: nothing was measured. */
  zeroFamilies: Set<string>;
  extra: Record<string, number>;
  load: { requestRate?: number; maxConcurrency?: number };
  ignored: string[];
}

function readFigures(block: ServingBlock): Figures {
  const figures: Figures = { metrics: new Map(), zeroFamilies: new Set(), extra: {}, load: {}, ignored: [] };
  const families = new Map<MetricName, string>();
  const faults: Fault[] = [];
  for (const { line, label, key, value } of block.rows) {
    const meaning = findLabel(key);
    const number = parseNumber(value);
    if (meaning.kind === 'unknown') {
      figures.ignored.push(label);
    } else if (number === null) {
      if (isMissing(value)) continue;
      const message = `"${label}" should be a number, found "${value.slice(0, 60)}".`;
      faults.push({
        code: 'value_unreadable',
        line,
        message,
        hint: 'A figure that the terminal cut cannot be used: copy the block again.',
      });
    } else if (number < 0) {
      faults.push({ code: 'value_unreadable', line, message: `"${label}" cannot be ${value}.` });
    } else if (meaning.name === 'req_s' && number === 0) {
      // A slow run rounded away: two decimals are printed.
    } else if (meaning.kind === 'metric') {
      if (meaning.family !== null) families.set(meaning.name, meaning.family);
      const before = figures.metrics.get(meaning.name);
      if (before !== undefined && before !== number) {
        faults.push({
          code: 'value_repeated',
          line,
          message: `"${label}" is given twice in one block, as ${before} and ${number}.`,
        });
      }
      figures.metrics.set(meaning.name, number);
    } else if (meaning.kind === 'load') {
      figures.load[meaning.name] = number;
    } else {
      figures.extra[meaning.name] = number;
      if (/_p[\d.]+$/.test(meaning.name)) figures.ignored.push(label);
    }
  }
  for (const [name, family] of families) {
    if (
      (name.endsWith('_mean') || !figures.metrics.has(`${family}_mean` as MetricName)) &&
      figures.metrics.get(name) === 0
    ) {
      if (!name.endsWith('_sd') && !name.endsWith('_min')) figures.zeroFamilies.add(family);
    }
  }
  for (const [name, family] of families) if (figures.zeroFamilies.has(family)) figures.metrics.delete(name);
  if (faults.length > 0) throw new ArtifactError(faults);
  return figures;
}

/** Faults of a block that measured nothing. */
function checkMeasured(block: ServingBlock, figures: Figures, context: RunContext | null): void {
  const ok = figures.metrics.get('requests_ok');
  const line = block.rows.find((row) => row.key === 'successful requests')?.line ?? block.from;
  if (ok === 0) {
    const sent = context?.numPrompts ?? figures.metrics.get('requests_failed') ?? 0;
    const of = sent > 0 ? ` of ${sent}` : '';
    throw new ArtifactError([
      { code: 'nothing_measured', line, message: `0${of} requests completed: nothing was measured.` },
    ]);
  }
  const counted = new Set<MetricName>([
    'requests_ok',
    'requests_failed',
    'input_tokens',
    'output_tokens',
    'duration_s',
  ]);
  if (![...figures.metrics.keys()].some((name) => !counted.has(name))) {
    const message = `The block that begins on line ${block.from} ends before its first rate or latency.`;
    throw new ArtifactError([
      { code: 'block_cut', line: block.from, message, hint: 'Copy the whole block, down to its closing rule.' },
    ]);
  }
}

/** Labels that only versions print which also print rate and cap whenever there is one. */
const recent = new Set([
  'failed requests',
  'peak output token throughput (tok/s)',
  'peak concurrent requests',
  'maximum request concurrency',
]);

/**
 * How the requests were sent. A cap below the number of requests with no rate is a closed loop; no cap, or one that never
 * bound, is a burst of all of them; a finite rate is an open loop. Null where neither block nor log tell.
 */
function toLoad(block: ServingBlock, figures: Figures, context: RunContext | null): KnownLoad | null {
  const isRecent = block.rows.some((row) => recent.has(row.key));
  const unsaid = isRecent ? null : undefined;
  const rate = figures.load.requestRate ?? (context?.requestRate === undefined ? unsaid : context.requestRate);
  const cap = figures.load.maxConcurrency ?? (context?.maxConcurrency === undefined ? unsaid : context.maxConcurrency);
  const ok = figures.metrics.get('requests_ok') ?? 0;
  const sent = context?.numPrompts ?? ok + (figures.metrics.get('requests_failed') ?? 0);
  if ((context?.rampUp ?? null) !== null || rate === undefined) return null;
  if (rate !== null) {
    return rate > 0
      ? { mode: 'rate', level: rate, burstiness: context?.burstiness ?? null, maxConcurrency: cap ?? null }
      : null;
  }
  if (cap === undefined) return null;
  if (cap !== null && cap > 0 && (sent === 0 || cap < sent)) return { mode: 'concurrency', level: cap };
  return sent > 0 ? { mode: 'burst', level: sent } : null;
}

function toNotes(
  block: ServingBlock,
  figures: Figures,
  context: RunContext | null,
  load: KnownLoad | null,
): ReaderNote[] {
  const notes: ReaderNote[] = [];
  if (!block.isClosed) {
    const message = 'The block has no closing rule: the paste was cut, and figures may be missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from: block.from, to: block.to } });
  }
  if (load === null) {
    const message = 'Neither the block nor the log before it tells how the requests were sent.';
    const ramp = context?.rampUp ?? null;
    notes.push({
      code: 'load_unknown',
      severity: 'warning',
      message,
      evidence: ramp === null ? {} : { ramp_up: ramp },
    });
  }
  for (const family of figures.zeroFamilies) {
    const message = `${family} is printed as 0, so it was not measured: nothing was streamed, or answers had one token.`;
    notes.push({ code: 'zero_is_missing', severity: 'info', message, evidence: { metric: family } });
  }
  const asked = context?.numPrompts ?? null;
  const ok = figures.metrics.get('requests_ok');
  if (asked !== null && ok !== undefined && ok < asked && !figures.metrics.has('requests_failed')) {
    const message = `${asked} requests were asked for and ${ok} succeeded; this version does not tell whether the others failed.`;
    notes.push({
      code: 'requests_unaccounted',
      severity: 'warning',
      message,
      evidence: { num_prompts: asked, requests_ok: ok },
    });
  }
  return notes;
}

/** Protocols of the client that also name an engine. The `openai` ones say nothing about the server. */
const engines = new Set(['vllm', 'sglang', 'tgi', 'tensorrt-llm', 'lmdeploy', 'llama.cpp']);

function fromContext<T>(value: T | null | undefined): Fact<T> | null {
  return value === null || value === undefined ? null : { value, origin: 'context' };
}

function toDefinitions(metrics: ReadonlyMap<MetricName, number>): Record<string, string> {
  const known: [string, string][] = [
    ['ttft_ms', 'send_to_first_token'],
    ['tpot_ms', 'without_first_token'],
    ['itl_ms', 'per_chunk'],
    ['e2e_ms', 'request'],
  ];
  const names = [...metrics.keys()];
  return Object.fromEntries(known.filter(([base]) => names.some((name) => name.startsWith(`${base}_`))));
}

function toResult(block: ServingBlock, context: RunContext | null): { result: ParsedResult; ignored: string[] } {
  const figures = readFigures(block);
  checkMeasured(block, figures, context);
  const load = toLoad(block, figures, context);
  const hint = context?.model == null ? null : quantizationHint(context.model);
  const engine = context?.backend != null && engines.has(context.backend) ? context.backend : null;
  const isSpeculative = block.rows.some((row) => row.key === 'acceptance length' || row.key === 'drafts');
  // All that were asked for succeeded, so none failed; the other way round is not certain (see the note).
  if (context?.numPrompts === figures.metrics.get('requests_ok') && !figures.metrics.has('requests_failed')) {
    figures.metrics.set('requests_failed', 0);
  }
  const ratio = context?.randomRangeRatio ?? null;
  const result: ParsedResult = {
    kind: 'serving',
    system: {
      ...noFacts,
      model: fromContext(context?.model),
      quantization: hint === null ? null : { value: hint, origin: 'inferred' },
      engine: engine === null ? null : { value: engine, origin: 'inferred' },
      features: isSpeculative ? { speculative_decoding: true } : {},
    },
    scenario: {
      ...noScenario,
      inputTokens: fromContext(context?.inputTokens),
      outputTokens: fromContext(context?.outputTokens),
      dataset: fromContext(context?.dataset),
    },
    load,
    repetition: null,
    metrics: Object.fromEntries(figures.metrics),
    definitions: toDefinitions(figures.metrics),
    repeats: null,
    requests: null,
    limits: null,
    extra: { ...figures.extra, ...(ratio === null ? {} : { random_range_ratio: ratio }) },
    notes: toNotes(block, figures, context, load),
    measuredAt: null,
    lines: { from: block.from, to: block.to },
  };
  return { result, ignored: figures.ignored };
}

/**
 * The console block of `vllm bench serve` and of `benchmark_serving.py` before it, with the log lines before the block
 * where they are there. ITL is the gap between stream chunks, TPOT leaves the first token out, TTFT counts from sending.
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
    const { found, before } = findAt(findServingBlocks(artifact), claim.from);
    const tool = { name: 'vllm bench serve', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const { result, ignored } = toResult(found, readContext(artifact, (before?.to ?? 0) + 1, found.from - 1));
    return { tool, results: [result], ignored, ...noRemarks };
  },
};
