import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type SystemFacts,
} from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { commandInText } from '../reading/context/command-line.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { type Arguments, argumentsOfRun } from '../reading/context/run-context.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { type ReadMany, type ReadOne, readEach } from '../reading/tables/read-each.ts';
import { findAt } from '../reading/text/by-line.ts';
import { systemOfServer } from '../serving/server-command.ts';
import { argumentsOf } from '../vllm/arguments.ts';
import { toLatencyResult, toThroughputResult } from '../vllm/offline.ts';
import { dropZeroFamilies, loadUnknown, toDefinitions, toServingLoad } from '../vllm/serving.ts';
import { findMadTables, type MadRun, toRuns } from './runs.ts';

const id = 'rocm-mad';
const name = 'ROCm MAD';

const metricOf: ReadonlyMap<string, MetricName> = new Map([
  ['throughput_tot', 'total_tok_s'],
  ['throughput_gen', 'output_tok_s'],
  ['total_throughput', 'total_tok_s'],
  ['output_throughput', 'output_tok_s'],
  ['median_ttft', 'ttft_ms_p50'],
  ['median_tpot', 'tpot_ms_p50'],
  ['median_itl', 'itl_ms_p50'],
  ['median_e2el', 'e2e_ms_p50'],
]);
const latency = 'latency';
/** Columns that are read, and the time per token, which is the latency divided by the tokens. */
const used = new Set(['model', 'benchmark', 'tp', 'inp', 'out', 'dtype', 'kv_cache_dtype', 'variant', 'cmd']);
for (const column of ['num_prompts', 'max_concurrency', 'bs', 'accept_length', 'latency_per_tkn', latency])
  used.add(column);

const cellOf = ({ cells }: MadRun, column: string) => cells.get(column) ?? '';
function countOf(run: MadRun, column: string): number | null {
  const count = parseNumber(cellOf(run, column));
  return count !== null && Number.isSafeInteger(count) && count > 0 ? count : null;
}

const isBenchmark = (words: readonly string[]) => words.slice(0, 2).some((word) => word.includes('bench'));

/** The cells have the model's name without its organization, commands may have a path. */
const fullName = (cell: string, inCommand: string | null | undefined) =>
  inCommand?.split('/').at(-1) === cell ? inCommand : cell;

/** The arguments of the benchmark, from the cells and from its command. */
function argumentsOfBenchmark(run: MadRun): Arguments {
  const command = commandInText(cellOf(run, 'cmd').split(';').at(-1) ?? '', run.from, isBenchmark);
  const context = argumentsOfRun(command);
  const cells = argumentsOf({
    model: fullName(cellOf(run, 'model'), context.text('model')),
    tensor_parallel_size: cellOf(run, 'tp'),
    kv_cache_dtype: cellOf(run, 'kv_cache_dtype'),
    input_len: cellOf(run, 'inp'),
    output_len: cellOf(run, 'out'),
    batch_size: cellOf(run, 'bs'),
    num_prompts: cellOf(run, 'num_prompts'),
  });
  const text = (...names: string[]) => cells.text(...names) ?? context.text(...names);
  return {
    text,
    number: (...names) => cells.number(...names) ?? context.number(...names),
    switched: (name) => context.switched(name),
  };
}

/** The scripts of SGLang name their columns otherwise, and only those of vLLM print the time per token. */
function engineOf({ figures, isLong }: MadRun): string | null {
  if (isLong) return null;
  const isSglang = figures.has('total_throughput') || (figures.has(latency) && !figures.has('latency_per_tkn'));
  return isSglang ? 'sglang' : 'vllm';
}

/** The server of a run from its command and from the cells. */
function systemOf(run: MadRun): SystemFacts {
  const server = systemOfServer(cellOf(run, 'cmd').split(';')[0] ?? '', run.from) ?? noFacts;
  const tensor = countOf(run, 'tp');
  const cache = cellOf(run, 'kv_cache_dtype');
  const engine = engineOf(run);
  return {
    ...server,
    ...modelFacts(fullName(cellOf(run, 'model'), server.model?.value), 'stated'),
    ...(server.quantization?.origin === 'context' ? { quantization: server.quantization } : {}),
    gpuCount: server.gpuCount ?? (tensor === null ? null : { value: tensor, origin: 'inferred' }),
    engine: engine === null ? server.engine : { value: engine, origin: 'inferred' },
    parallelism: { ...server.parallelism, ...(tensor === null ? {} : { tensor }) },
    features: {
      ...server.features,
      ...(cache === '' || cache === 'auto' ? {} : { kv_cache_dtype: cache }),
      ...(run.figures.has('accept_length') ? { speculative_decoding: true } : {}),
    },
  };
}

function toServingResult(run: MadRun): ParsedResult {
  const metrics = new Map<MetricName, number>();
  const families = new Map<MetricName, string>();
  for (const [figure, value] of run.figures) {
    const metric = metricOf.get(figure);
    if (metric === undefined) continue;
    metrics.set(metric, value);
    if (figure.startsWith('median_')) families.set(metric, metric.replace(/_p50$/, ''));
  }
  const zeros = dropZeroFamilies(metrics, families);
  const given = argumentsOfBenchmark(run);
  const rate = parseNumber(given.text('request_rate') ?? '');
  const cap = countOf(run, 'max_concurrency');
  const asked = { rate, cap, burstiness: given.number('burstiness'), sent: countOf(run, 'num_prompts') ?? 0 };
  const { load, notes } = toServingLoad(asked, metrics);
  const system = systemOf(run);
  const dataset = given.text('dataset_name');
  const [input, output] = [countOf(run, 'inp'), countOf(run, 'out')];
  const accepted = run.figures.get('accept_length');
  const variant = cellOf(run, 'variant');
  const definitions = toDefinitions(metrics.keys());
  if (system.engine?.value === 'sglang' && metrics.has('itl_ms_p50')) definitions.itl_ms = 'per_token';
  return {
    ...noResult,
    system,
    scenario: {
      ...noScenario,
      inputTokens: input === null ? null : { value: input, origin: 'stated' },
      outputTokens: output === null ? null : { value: output, origin: 'stated' },
      dataset: dataset === null ? null : { value: dataset, origin: 'context' },
    },
    load,
    metrics: Object.fromEntries(metrics),
    definitions,
    extra: {
      ...(accepted === undefined ? {} : { acceptance_length: accepted }),
      ...(variant === '' ? {} : { variant }),
    },
    notes: [...zeros, ...notes, ...(load === null ? [loadUnknown()] : [])],
    lines: { from: run.from, to: run.to },
  };
}

const inSeconds: ReaderNote = {
  code: 'unit_corrected',
  severity: 'info',
  message:
    'The latency is in seconds. The file labels it "ms", but the program writes the seconds of vllm bench latency.',
  evidence: { metric: 'e2e_ms' },
};

/** A run in the process of the benchmark: a static batch, or all prompts at once. */
function toOfflineResult(run: MadRun): ParsedResult {
  const lines = { from: run.from, to: run.to };
  const given = argumentsOfBenchmark(run);
  const value = run.figures.get(latency);
  const result =
    value === undefined
      ? toThroughputResult(
          {
            elapsedS: null,
            requests: countOf(run, 'num_prompts'),
            requestsPerS: null,
            totalTokens: null,
            totalPerS: run.figures.get('throughput_tot') ?? run.figures.get('total_throughput') ?? null,
            outputPerS: run.figures.get('throughput_gen') ?? run.figures.get('output_throughput') ?? null,
            inputTokens: null,
            outputTokens: null,
          },
          given,
          lines,
        )
      : toLatencyResult({ meanS: run.isLong ? value : value / 1000, percentiles: [], latenciesS: null }, given, lines);
  const engine = engineOf(run) ?? result.system.engine?.value ?? null;
  const notes = run.isLong && value !== undefined ? [...result.notes, inSeconds] : result.notes;
  return {
    ...result,
    system: { ...result.system, engine: engine === null ? null : { value: engine, origin: 'inferred' } },
    notes,
  };
}

function readRun(run: MadRun): ReadOne | ReadMany {
  const benchmark = cellOf(run, 'benchmark');
  // An accuracy test, or a run that failed.
  if (benchmark === 'accuracy' || ![...run.figures.keys()].some((figure) => figure === latency || metricOf.has(figure)))
    return { results: [], ignored: [`run without a speed on line ${run.from}`] };
  const isServing = benchmark === 'serving' || (benchmark === '' && cellOf(run, 'max_concurrency') !== '');
  const names = [...run.cells.keys(), ...run.figures.keys()];
  const ignored = names.filter((column) => !(used.has(column) || metricOf.has(column)));
  return { result: isServing ? toServingResult(run) : toOfflineResult(run), ignored };
}

/**
 * The CSV files of AMD's Model Automation and Dashboarding: vLLM, SGLang and ATOM on ROCm. The newest layout has a row for
 * each figure of a run, the older ones a row for each run. They do not name the GPU.
 *
 * Written by https://github.com/ROCm/MAD (`scripts/vllm/run_vllm.py`, `scripts/sglang/run_sglang.py`,
 * `scripts/vllm/vllm_benchmark_report.py`)
 */
export const rocmMad: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'CSV with model,benchmark,tp and performance,metric,unit, or with tp,input_len,output_len,dtype and a column "throughput_tot (tok/sec)" or "latency (ms)"',
  command: 'madengine run --tags pyt_vllm_llama-3.1-8b, and then send perf_MODEL.csv',
  detect: (artifact) => findMadTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findMadTables(artifact), claim.from);
    const read = found === null ? { results: [], ignored: [] } : readEach(toRuns(found), claim.from, readRun);
    if (read.results.length === 0) {
      const message = `The table on line ${claim.from} has no run with a throughput or a latency: nothing was measured.`;
      throw new ArtifactError([{ code: 'nothing_measured', line: claim.from, message }]);
    }
    return { tool: { name, version: null }, ...read, ...noRemarks };
  },
};
