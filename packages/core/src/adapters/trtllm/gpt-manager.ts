import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { type RunContext, readRunContexts } from '../reading/context/run-context.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { isCutFigure, isLastLine } from '../reading/figures/cut-figure.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { loadUnknown } from '../vllm/serving.ts';

const id = 'trtllm-gpt-manager-benchmark';
const name = "TensorRT-LLM's gptManagerBenchmark";

interface Row {
  line: number;
  label: string;
  value: string;
}

/** The lines of one run, 1-based and inclusive. */
interface Printed {
  from: number;
  to: number;
  rows: Row[];
}

const printedLine = /^\s{0,8}\[BENCHMARK\] ([a-z0-9_]{3,40}(?:\([a-z/ ]{1,40}\))?) (\S{1,30})\s*$/;
/** Lines between two figures of one run: blank lines and messages of the engine. */
const maxGap = 8;
/** All figures except counts have two decimals. */
const decimals = 2;

const rates: Record<string, MetricName> = {
  num_samples: 'requests_ok',
  // Without a unit that fits, in the first versions.
  'num_samples(ms)': 'requests_ok',
  num_error_samples: 'requests_failed',
  'seq_throughput(seq/sec)': 'req_s',
  'token_throughput(token/sec)': 'output_tok_s',
};
const families: Record<string, string> = {
  sequence_latency: 'e2e_ms',
  time_to_first_token: 'ttft_ms',
  // The mean gap of each request, after its first token.
  inter_token_latency: 'tpot_ms',
};
const latency = /^(avg|max|min|p50|p90|p99)_(sequence_latency|time_to_first_token|inter_token_latency)\(ms\)$/;
const definitions = { e2e_ms: 'request', ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token' };

const isStart = (label: string) => label.startsWith('num_samples');

/** All runs in order of appearance. A run prints its number of samples twice, the second time with its figures. */
const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  if (!artifact.has('token_throughput(token/sec)')) return [];
  const all: Printed[] = [];
  for (const line of artifact.linesWith('[BENCHMARK] ')) {
    const [, label = '', value = ''] = printedLine.exec(artifact.lineAt(line)) ?? [];
    if (label === '') continue;
    const last = all.at(-1);
    const isNew = isStart(label) && last?.rows.some((row) => row.label === 'total_latency(ms)');
    if (last === undefined || isNew || line > last.to + maxGap) {
      if (isStart(label)) all.push({ from: line, to: line, rows: [{ line, label, value }] });
      continue;
    }
    last.rows.push({ line, label, value });
    last.to = line;
  }
  return all.filter(({ rows }) => rows.some(({ label }) => label === 'total_latency(ms)'));
});

const isProgram = ([program = '']: readonly string[]) => /(?:^|[/\\])gptManagerBenchmark$/.test(program);

const contextsIn = cachedPerArtifact((artifact) =>
  readRunContexts(artifact, findPrinted(artifact), isProgram, 'gptManagerBenchmark'),
);

/** The options of the program: without a rate and a limit, it queues all requests at the start. */
function toLoad(context: RunContext | null, samples: number): KnownLoad | null {
  if (context === null || context.differs('request_rate', 'concurrency')) return null;
  const rate = context.number('request_rate');
  const users = context.number('concurrency');
  const isPoisson = context.switched('enable_exp_delays') === true;
  if (rate !== null) return { mode: 'rate', level: rate, ...(isPoisson ? { burstiness: 1 } : {}) };
  if (users !== null) return { mode: 'concurrency', level: users };
  return samples > 0 ? { mode: 'burst', level: samples, regime: 'offline' } : null;
}

function readFigures(artifact: ArtifactText, { rows, to }: Printed) {
  const metrics = new Map<MetricName, number>();
  const extra: Record<string, number> = {};
  const ignored: string[] = [];
  const faults: Fault[] = [];
  for (const { line, label, value } of rows) {
    if (line === to && isCutFigure(value, decimals) && isLastLine(artifact, line)) continue;
    const [, word = '', kind = ''] = latency.exec(label) ?? [];
    const figure = parseNumber(value);
    const metric = Object.hasOwn(rates, label) ? rates[label] : undefined;
    const isKnown = metric !== undefined || kind !== '' || /^(?:total_latency|avg_acceptance_rate)\(/.test(label);
    if (!isKnown) ignored.push(label);
    else if (figure === null || figure < 0) {
      const message = `"${label}" should be a number, found "${value}".`;
      if (!isMissing(value)) faults.push({ code: 'value_unreadable', line, message });
    } else if (metric !== undefined) metrics.set(metric, figure);
    else if (label === 'total_latency(ms)') metrics.set('duration_s', shiftDecimal(figure, -3));
    else if (kind === '') extra.tokens_per_step = figure;
    else if (figure > 0) {
      const found = latencyName(families[kind] ?? '', word === 'avg' ? 'mean' : word);
      if (found.kind === 'metric') metrics.set(found.name, figure);
      else extra[found.name] = figure;
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  // Without decoding steps the rate is 0.
  if (extra.tokens_per_step === 0) delete extra.tokens_per_step;
  return { metrics, extra, ignored };
}

function readPrinted(artifact: ArtifactText, printed: Printed): { result: ParsedResult; ignored: string[] } {
  const { metrics, extra, ignored } = readFigures(artifact, printed);
  checkMeasured(metrics, printed.from, null);
  const samples = (metrics.get('requests_ok') ?? 0) + (metrics.get('requests_failed') ?? 0);
  const load = toLoad(contextsIn(artifact).get(printed) ?? null, samples);
  const message = 'The command line of the program, which states how the requests were sent, is missing.';
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      engine: { value: 'tensorrt-llm', origin: 'stated' },
      features: (extra.tokens_per_step ?? 0) > 1.01 ? { speculative_decoding: true } : {},
    },
    load,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra,
    notes: load === null ? [loadUnknown({}, message)] : [],
    lines: { from: printed.from, to: printed.to },
  };
  return { result, ignored };
}

/**
 * The lines that TensorRT-LLM's C++ benchmark prints. Tokens per second count generated tokens; latencies are per request. The
 * folder of the engine does not name the model.
 *
 * Written by https://github.com/NVIDIA/TensorRT-LLM/blob/main/benchmarks/cpp/gptManagerBenchmark.cpp
 */
export const trtllmGptManagerBenchmark: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises: 'lines "[BENCHMARK] num_samples N" and "[BENCHMARK] token_throughput(token/sec) N"',
  command: 'gptManagerBenchmark --engine_dir FOLDER --dataset FILE --request_rate 10 | tee result.txt',
  detect: (artifact) => findPrinted(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findPrinted(artifact), claim.from);
    const read = readEach(found === null ? [] : [found], claim.from, (printed) => readPrinted(artifact, printed));
    return { tool: { name, version: null }, ...read, ...noRemarks };
  },
};
