import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import {
  type Adapter,
  type Fact,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type Reading,
} from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { type LlamaRow, type LlamaTable, tableFinder } from '../llama-cpp/table.ts';
import { noteIgnored } from '../plain-facts.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'tt-inference-server';

const findTables = tableFinder({
  program: 'tt-inference-server',
  required: ['E2EL (ms)', 'ISL', 'OSL', 'TTFT (ms)', 'TPOT (ms)', 'Req Tput (RPS)'],
});

/** The tables "Detailed Percentiles" of the same reports, with the same runs of GenAI-Perf or AIPerf. */
const findPercentiles = tableFinder({
  program: 'tt-inference-server',
  required: ['E2EL Avg (ms)', 'ISL', 'OSL', 'TTFT Avg (ms)', 'TPOT Avg (ms)', 'Req/s'],
});

/** Prompts with images have no comparable length in tokens. */
const isOfImages = ({ columns }: LlamaTable) => columns.some((column) => column.startsWith('Image'));

/** The supported tables, and the lines of the others. */
interface Tables {
  text: LlamaTable[];
  images: number[];
}

const findKinds = cachedPerArtifact((artifact): Tables => {
  const all = [...findTables(artifact), ...findPercentiles(artifact)].sort((a, b) => a.from - b.from);
  const images = all.filter(isOfImages).map(({ from }) => from);
  return { text: all.filter((table) => !isOfImages(table)), images };
});

const metrics: Record<string, MetricName> = {
  'TTFT (ms)': 'ttft_ms_mean',
  'P50 TTFT (ms)': 'ttft_ms_p50',
  'P90 TTFT (ms)': 'ttft_ms_p90',
  'P95 TTFT (ms)': 'ttft_ms_p95',
  'P99 TTFT (ms)': 'ttft_ms_p99',
  'TPOT (ms)': 'tpot_ms_mean',
  'ITL (ms)': 'itl_ms_mean',
  'E2EL (ms)': 'e2e_ms_mean',
  'Tput User (TPS)': 'user_tok_s',
  'Req Tput (RPS)': 'req_s',
  // Names since August 2026 for the server's rates over the whole run.
  'Tput Input (TPS)': 'input_tok_s',
  'Tput Output (TPS)': 'output_tok_s',
  'Tput Total (TPS)': 'total_tok_s',
  'Total Token Throughput (tokens/duration)': 'total_tok_s',
  'Total Token Throughput (tokens/s)': 'total_tok_s',
  // Detailed percentiles.
  'TTFT Avg (ms)': 'ttft_ms_mean',
  'TTFT P50 (ms)': 'ttft_ms_p50',
  'TTFT P99 (ms)': 'ttft_ms_p99',
  'TPOT Avg (ms)': 'tpot_ms_mean',
  'TPOT P50 (ms)': 'tpot_ms_p50',
  'TPOT P99 (ms)': 'tpot_ms_p99',
  'E2EL Avg (ms)': 'e2e_ms_mean',
  'E2EL P50 (ms)': 'e2e_ms_p50',
  'E2EL P99 (ms)': 'e2e_ms_p99',
  'Tok/s': 'output_tok_s',
  'Req/s': 'req_s',
};
const userTput = 'Tput User (TPS)';
const decodeTput = 'Tput Decode (TPS)';
const prefillTput = 'Tput Prefill (TPS)';
const concurrencies = ['Concurrency', 'Max Concurrency', 'Concur'];
const counts = ['N Req', 'Num Requests', 'N'];
const used = new Set([...Object.keys(metrics), decodeTput, prefillTput, ...concurrencies, ...counts]);
for (const column of ['ISL', 'OSL', 'Source']) used.add(column);

const definitions: Record<string, string> = {
  ttft_ms: 'send_to_first_token',
  tpot_ms: 'without_first_token',
  itl_ms: 'per_chunk',
  e2e_ms: 'request',
  user_tok_s: 'client',
  decode_tok_s: 'client',
  prefill_tok_s: 'client',
};

/** Reads the number in a cell; null if not measured. Text is an error. */
function readNumber(row: LlamaRow, column: string, faults: Fault[]): number | null {
  const text = row.cells.get(column) ?? '';
  const number = parseNumber(text);
  if (number !== null && number >= 0) return number;
  if (!isMissing(text)) {
    const message = `"${text.slice(0, 60)}" in column ${column} should be a number.`;
    faults.push({ code: 'cell_unreadable', line: row.from, message });
  }
  return null;
}

const firstNumber = (row: LlamaRow, columns: readonly string[], faults: Fault[]) =>
  columns.flatMap((column) => (row.cells.has(column) ? (readNumber(row, column, faults) ?? []) : []))[0] ?? null;

/**
 * Whether "Tput Decode" is the number of users times the speed of each, as until 2026. Since then the same name is the
 * output throughput of the whole run, including prefill.
 */
function isDecodeRate({ columns, rows }: LlamaTable): boolean {
  const ignore: Fault[] = [];
  return (
    columns.includes(userTput) &&
    rows.every((row) => {
      const [user, decode] = [readNumber(row, userTput, ignore), readNumber(row, decodeTput, ignore)];
      const users = firstNumber(row, concurrencies, ignore);
      if (user === null || decode === null || users === null) return true;
      return Math.abs(user * users - decode) <= 0.06 + 0.01 * users;
    })
  );
}

/** A burst if no request had to wait, else a concurrency. */
function toLoad(users: number | null, requests: number | null): KnownLoad | null {
  if (users === null || users < 1) return null;
  return { mode: users > 1 && users === requests ? 'burst' : 'concurrency', level: users };
}

/** Facts in the heading of a table: "... Benchmark Sweeps for Qwen3-32B on galaxy". */
interface Heading {
  from: number;
  model: string;
  device: string;
}

const heading = /\bBenchmark(?: Sweeps| Targets\b[^|]{0,80})? for (\S{1,200}) on (\w{2,20})\s*$/;
const findHeadings = cachedPerArtifact((artifact): Heading[] => {
  const headings = artifact.linesWith(' Benchmark').flatMap((from) => {
    const text = artifact.lineAt(from);
    const [, model, device] = (text.length <= 500 && heading.exec(text)) || [];
    return model === undefined || device === undefined ? [] : [{ from, model, device }];
  });
  return headings;
});

interface Context {
  model: Fact<string> | null;
  gpu: Fact<string> | null;
}

function readContext(artifact: ArtifactText, table: LlamaTable): Context {
  const headings = findHeadings(artifact);
  const found = headings[countBefore(headings, table.from) - 1];
  const model = found === undefined ? null : toModelName(found.model);
  return {
    model: model === null ? null : { value: model, origin: 'context' },
    gpu: found === undefined ? null : { value: `Tenstorrent ${found.device}`, origin: 'context' },
  };
}

function toResult(row: LlamaRow, isDecode: boolean, context: Context, faults: Fault[]): ParsedResult {
  const read = (column: string) => (row.cells.has(column) ? readNumber(row, column, faults) : null);
  const found = new Map<MetricName, number>();
  for (const [column, name] of Object.entries(metrics)) {
    const value = read(column);
    // A rate or a time of 0 was rounded.
    if (value !== null && value > 0) found.set(name, value);
  }
  const users = firstNumber(row, concurrencies, faults);
  const requests = firstNumber(row, counts, faults);
  const decode = read(decodeTput);
  if (decode !== null && decode > 0) found.set(isDecode ? 'decode_tok_s' : 'output_tok_s', decode);
  const prefill = read(prefillTput);
  // The prompts of all users divided by the mean time to first token. This is a prefill speed only with one user.
  if (prefill !== null && prefill > 0 && users === 1) found.set('prefill_tok_s', prefill);
  const [input, output] = [read('ISL'), read('OSL')];
  const asked = (tokens: number | null): Fact<number> | null =>
    tokens !== null && Number.isInteger(tokens) && tokens > 0 ? { value: tokens, origin: 'stated' } : null;
  const source = row.cells.get('Source') ?? '';
  return {
    ...noResult,
    system: { ...noFacts, model: context.model, gpu: context.gpu },
    scenario: { ...noScenario, inputTokens: asked(input), outputTokens: asked(output) },
    load: toLoad(users, requests),
    metrics: Object.fromEntries(found),
    definitions: definitionsOf(found, definitions),
    extra: {
      ...(requests === null ? {} : { num_requests: requests }),
      ...(prefill === null || users === 1 ? {} : { prompt_tokens_per_mean_ttft_s: prefill }),
      ...(source === '' ? {} : { source }),
    },
    lines: { from: row.from, to: row.to },
  };
}

function readTable(artifact: ArtifactText, table: LlamaTable): Reading {
  if (table.rows.length > maxResults) throw tooManyResults(table.from);
  const faults: Fault[] = [...table.faults];
  const context = readContext(artifact, table);
  const isDecode = isDecodeRate(table);
  const results: ParsedResult[] = [];
  for (const row of table.rows) {
    if (faults.length >= maxFaults) break;
    const result = toResult(row, isDecode, context, faults);
    if (Object.keys(result.metrics).length > 0) results.push(result);
  }
  if (results.length === 0 && faults.length === 0) {
    const message = `The table on line ${table.from} has no row with a figure.`;
    faults.push({ code: 'table_empty', line: table.from, message });
  }
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  const ignored = [
    ...table.columns.filter((column) => column !== '' && !used.has(column)),
    ...findKinds(artifact).images.map((line) => `table of prompts with images on line ${line}`),
  ];
  return { tool: { name: id, version: null }, results, ignored: noteIgnored(ignored), ...noRemarks };
}

/**
 * The sweeps in the reports of tt-inference-server, with one table for each tool (vLLM's client, AIPerf, GenAI-Perf). The
 * figures are means over the requests of one run. Target tables repeat figures of a sweep and lack TPOT and E2EL, so they
 * are not claimed.
 *
 * Written by https://github.com/tenstorrent/tt-inference-server/blob/main/benchmarking/summary_report.py
 * (`process_benchmark_file`) and, since 2026, by its `report_module`.
 */
export const ttInferenceServer: Adapter = {
  id,
  title: 'tt-inference-server benchmark sweeps',
  kind: 'serving',
  recognises: 'a table with the columns ISL, OSL, TTFT (ms), TPOT (ms), E2EL (ms) and Req Tput (RPS)',
  command: 'python run.py --model MODEL --tt-device DEVICE --workflow benchmarks',
  detect: (artifact) => findKinds(artifact).text.map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findKinds(artifact).text, claim.from);
    if (found === null) return { tool: { name: id, version: null }, results: [], ignored: [], ...noRemarks };
    return readTable(artifact, found);
  },
};
