import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, addFaults } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { latencyName, type ValueName } from '../reading/figures/latency-name.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type RunContext, readContexts } from './context.ts';
import { toFamily } from './keys.ts';
import { dropZeroFamilies, loadUnknown, toDefinitions, toEngine, toServingLoad } from './serving.ts';

const id = 'vllm-serve-plain';

interface Row {
  line: number;
  label: string;
  value: string;
  unit: string;
}

/** Printed lines of one run, 1-based and inclusive. */
interface Printed {
  from: number;
  to: number;
  rows: Row[];
}

const labelled = /^\s{0,8}([A-Z][A-Za-z0-9 ]{2,60}): {1,9}(\S{1,40})(?: (s|ms|requests\/s|tokens\/s))?\s*$/;
const longest = 40;

const labels: Record<string, MetricName> = {
  'Successful requests': 'requests_ok',
  'Benchmark duration': 'duration_s',
  'Total time': 'duration_s',
  'Total input tokens': 'input_tokens',
  'Total generated tokens': 'output_tokens',
  'Request throughput': 'req_s',
  Throughput: 'req_s',
  'Input token throughput': 'input_tok_s',
  'Output token throughput': 'output_tok_s',
  'Overall token throughput': 'total_tok_s',
  // Until 2024 latencies were in seconds, one per request.
  'Average latency': 'e2e_ms_mean',
};
/** Latency of each request divided by its tokens: not one of our metrics. */
const others: Record<string, string> = {
  'Average latency per token': 'e2e_per_token_ms_mean',
  'Average latency per output token': 'e2e_per_output_token_ms_mean',
};
/**
 * JetStream's fork writes some labels in lower case. It also prints the time to the second token, which is stored as an
 * extra.
 */
const families: Record<string, string> = {
  TTFT: 'ttft_ms',
  ttft: 'ttft_ms',
  ttst: 'ttst_ms',
  TPOT: 'tpot_ms',
  ITL: 'itl_ms',
};

function meaningOf(label: string): ValueName | null {
  const metric = Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (metric !== undefined) return { kind: 'metric', name: metric };
  const other = Object.hasOwn(others, label) ? others[label] : undefined;
  if (other !== undefined) return { kind: 'extra', name: other };
  const found = /^(Mean|Median|P\d{1,2}) (TTFT|ttft|ttst|TPOT|ITL)$/.exec(label);
  const family = families[found?.[2] ?? ''];
  return found === null || family === undefined ? null : latencyName(family, (found[1] ?? '').toLowerCase());
}

/** Lines of the run that begins at a line. The run continues while known labels follow, with blank lines between. */
function readPrinted(artifact: ArtifactText, from: number): Printed {
  const printed: Printed = { from, to: from, rows: [] };
  const seen = new Set<string>();
  for (let line = from; line < from + longest; line++) {
    const text = artifact.lineAt(line);
    const found = labelled.exec(text);
    const label = found?.[1] ?? '';
    if (found === null || meaningOf(label) === null || seen.has(label)) {
      if (text.trim() === '' && line <= artifact.lines.length) continue;
      break;
    }
    seen.add(label);
    printed.rows.push({ line, label, value: found[2] ?? '', unit: found[3] ?? '' });
    printed.to = line;
  }
  // Every latency has its unit, so one without was cut.
  const last = printed.rows.at(-1);
  if (last?.unit === '' && meaningOf(last.label)?.name.includes('_ms')) printed.rows.pop();
  return printed;
}

/** The labels alone are common words, so a block needs the first line with its unit and the latencies below it. */
function isOurs({ rows }: Printed): boolean {
  const has = (label: string, unit: string) => rows.some((row) => row.label === label && row.unit === unit);
  if (has('Successful requests', '')) return has('Mean TTFT', 'ms') || has('Mean ttft', 'ms');
  return has('Total time', 's') && has('Throughput', 'requests/s') && has('Average latency', 's');
}

const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  if (!(artifact.has('Successful requests') || artifact.has('Total time:'))) return [];
  const all: Printed[] = [];
  for (const line of artifact.linesWith('Successful requests: ', 'Total time: ')) {
    if (line <= (all.at(-1)?.to ?? 0)) continue;
    const text = artifact.lineAt(line);
    if (!/^\s{0,8}(?:Successful requests|Total time): /.test(text)) continue;
    const printed = readPrinted(artifact, line);
    if (isOurs(printed)) all.push(printed);
  }
  return all;
});

function readFigures({ rows, from }: Printed, sent: number | null) {
  const metrics = new Map<MetricName, number>();
  const extra: Record<string, number> = {};
  const faults: Fault[] = [];
  const bases = new Map<MetricName, string>();
  for (const { line, label, value, unit } of rows) {
    const meaning = meaningOf(label);
    const number = parseNumber(value);
    if (meaning === null || (number === null && isMissing(value))) continue;
    if (number === null || number < 0) {
      const message = `"${label}" should be a number, found "${value}".`;
      addFaults(faults, [{ code: 'value_unreadable', line, message }]);
      continue;
    }
    // The label states the unit; only latencies are converted.
    const figure = meaning.name.includes('_ms') && unit === 's' ? shiftDecimal(number, 3) : number;
    if (meaning.kind === 'extra') extra[meaning.name] = figure;
    else if (meaning.name !== 'req_s' || figure > 0) metrics.set(meaning.name, figure);
    const family = toFamily(meaning.name);
    if (meaning.kind === 'metric' && family !== null) bases.set(meaning.name, family);
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  checkMeasured(metrics, from, sent);
  return { metrics, extra, notes: dropZeroFamilies(metrics, bases) };
}

/** Since 2025 JetStream's fork has additional figures. Before, it printed the same output as vLLM's script. */
const isJetStream = ({ rows }: Printed) =>
  rows.some(({ label }) => label === 'Mean ttst' || label === 'Overall token throughput');

function toResult(printed: Printed, context: RunContext | null): ParsedResult {
  const { metrics, extra, notes } = readFigures(printed, context?.numPrompts ?? null);
  const engine = isJetStream(printed) ? 'jetstream' : toEngine(context?.backend ?? null);
  const sent = context?.numPrompts ?? metrics.get('requests_ok') ?? 0;
  const asked = { rate: context?.requestRate, cap: context?.maxConcurrency, burstiness: null, sent };
  const { load, notes: doubts } = toServingLoad(asked, metrics);
  const unknown = 'Neither the lines nor the log before them state how the requests were sent.';
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(context?.model ?? null, 'context'),
      engine: engine === null ? null : { value: engine, origin: 'inferred' },
    },
    scenario: {
      ...noScenario,
      dataset: context?.dataset == null ? null : { value: context.dataset, origin: 'context' },
    },
    load,
    metrics: Object.fromEntries(metrics),
    definitions: toDefinitions(metrics.keys()),
    extra,
    notes: [...notes, ...doubts, ...(load === null ? [loadUnknown({}, unknown)] : [])],
    lines: { from: printed.from, to: printed.to },
  };
}

const contextsIn = cachedPerArtifact((artifact) => readContexts(artifact, findPrinted(artifact)));

/**
 * The output of `benchmark_serving.py` before it had a banner: in 2023 a latency in seconds and two quotients of it, in
 * early 2024 today's figures in plain lines. Forks such as JetStream's still print either.
 *
 * Written by https://github.com/vllm-project/vllm/blob/v0.3.3/benchmarks/benchmark_serving.py and
 * https://github.com/AI-Hypercomputer/JetStream/blob/main/benchmarks/benchmark_serving.py
 */
export const vllmServePlain: Adapter = {
  id,
  title: 'vLLM benchmark_serving.py (2023 and early 2024) and JetStream',
  kind: 'serving',
  recognises:
    'plain lines "Successful requests: N" and "Mean TTFT: N ms", or "Total time: N s", "Throughput: N requests/s" and "Average latency: N s"',
  command: 'python benchmarks/benchmark_serving.py --model MODEL 2>&1 | tee result.txt',
  detect: (artifact) => findPrinted(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim): Reading => {
    const { found } = findAt(findPrinted(artifact), claim.from);
    const name = found !== null && isJetStream(found) ? 'JetStream benchmark_serving.py' : 'vllm bench serve';
    const tool = { name, version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const result = toResult(found, contextsIn(artifact).get(found) ?? null);
    return { tool, results: [result], ignored: [], ...noRemarks };
  },
};
