import type { Adapter } from '../adapter.ts';
import type { PerfBox } from '../aiperf/box.ts';
import { checkFigures, parseLabel, type Statistic, toPerfFigures, toStatedGaps } from '../aiperf/figures.ts';
import { readStatistics, reportLikeness } from '../aiperf/report.ts';
import { toPerfResult } from '../aiperf/result.ts';
import { type Around, boxRuns, contextAround, figuresOf, type Run, readRuns, tableRuns } from '../aiperf/runs.ts';
import type { PerfTable } from '../aiperf/table.ts';
import { unreadable } from '../errors.ts';
import {
  findRecords,
  hasAll,
  isObject,
  type JsonObject,
  type JsonRecord,
  toClaims,
} from '../reading/documents/json-records.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { totalOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { analyzeRuns } from './analyze.ts';
import { toGenaiContext } from './config.ts';

const id = 'genai-perf';

/** The output of the load generator that GenAI-Perf runs: the time of every chunk, without figures. */
function isRaw(value: JsonObject): boolean {
  const [first] = Array.isArray(value.experiments) ? value.experiments : [];
  const [request] = isObject(first) && Array.isArray(first.requests) ? first.requests : [];
  return isObject(request) && hasAll(request, ['timestamp', 'response_timestamps']);
}

function readReport({ value, from, to }: JsonRecord): ReturnType<Run['read']> {
  if (isRaw(value)) {
    const message = `The JSON on line ${from} is the raw record of perf_analyzer, without figures.`;
    throw unreadable(from, 'tool_unsupported', message, 'Send profile_export_genai_perf.json from the same folder.');
  }
  const { statistics, ignored } = readStatistics(value, from);
  const found = toPerfFigures(statistics, from);
  checkFigures(found.figures);
  const { metrics } = found.figures;
  const ok = metrics.get('requests_ok') ?? null;
  const input = totalOf(found.meanInput, ok);
  const output = totalOf(found.meanOutput, ok);
  if (input !== null) metrics.set('input_tokens', input);
  if (output !== null) metrics.set('output_tokens', output);
  const unused = ignored.filter((name) => name !== 'telemetry_stats');
  const result = toPerfResult(found, toGenaiContext(value, metrics), { from, to });
  return { results: [result], version: null, ignored: [...found.figures.ignored, ...unused] };
}

const lengths = (statistics: readonly Statistic[]) => statistics.filter(({ tag }) => tag.endsWith('_sequence_length'));

/** Lengths without a unit mean a table from early 2024, when the definition of inter token latency changed. */
const isEarly = (statistics: readonly Statistic[]) => lengths(statistics).some(({ unit }) => unit === null);

function readTable(artifact: ArtifactText, table: PerfTable, around: Around): ReturnType<Run['read']> {
  const found = figuresOf(table);
  const { from, to } = table;
  if (lengths(table.statistics).length === 0) {
    const message = `The table that begins on line ${from} ends before its sequence lengths.`;
    throw unreadable(from, 'block_cut', message, 'Send the whole file.');
  }
  const context = contextAround(artifact, id, table, around, found.figures);
  const early = isEarly(table.statistics);
  if (early) toStatedGaps(found.figures);
  const result = toPerfResult(found, context, { from, to }, early ? 'not_stated' : 'per_chunk');
  return { results: [result], version: null, ignored: [...found.figures.ignored, ...table.ignored] };
}

const rateBelow = /^\s*((?:Output token|Request) throughput \(per sec\)):\s{1,9}([\d.,]{1,30})\s*$/i;

/** Rates that older versions print below the box instead of in it. */
function readBelow(artifact: ArtifactText, box: PerfBox): Statistic[] {
  const found: Statistic[] = [];
  for (let line = box.to + 1; line <= box.to + 6; line++) {
    const rate = rateBelow.exec(artifact.lineAt(line));
    const name = rate?.[1] ?? '';
    const avg = parseNumber(rate?.[2] ?? '');
    if (rate !== null) found.push({ ...parseLabel(name), values: { avg }, line, name });
  }
  return found;
}

function toBoxRun(artifact: ArtifactText, box: PerfBox, around: Around): Run {
  const below = readBelow(artifact, box);
  const lines = { from: box.from, to: below.at(-1)?.line ?? box.to };
  // The title includes the program's name since the latency has its later formula.
  const early = box.title === null ? isEarly(box.statistics) : !box.title.includes('GenAI-Perf');
  const read = () => {
    const found = figuresOf({ ...box, statistics: [...box.statistics, ...below] });
    const context = contextAround(artifact, id, box, around, found.figures);
    if (early) toStatedGaps(found.figures);
    const result = toPerfResult(found, context, lines, early ? 'not_stated' : 'per_chunk');
    return { results: [result], version: null, ignored: found.figures.ignored };
  };
  return { ...lines, read };
}

const isOurs = (columns: readonly string[]) => columns[4] === 'p99';

const findRuns = cachedPerArtifact((artifact): Run[] => {
  const reports = findRecords(artifact, (value) => reportLikeness(value) === id || isRaw(value));
  const runs = [
    ...reports.map((report) => ({ from: report.from, to: report.to, read: () => readReport(report) })),
    ...tableRuns(artifact, isOurs, (table, around) => () => readTable(artifact, table, around)),
    ...boxRuns(artifact, id, (box, around) => toBoxRun(artifact, box, around)),
    ...analyzeRuns(artifact),
  ].sort((a, b) => a.from - b.from);
  return runs;
});

/**
 * The summary of a GenAI-Perf run: `profile_export_genai_perf.json`, the CSV file written with it, the printed box, and the
 * table of `genai-perf analyze`. Units are read as written; the first boxes use nanoseconds. Its inter token latency is one
 * mean per request, so it is read as time per output token. The first versions divided gaps by their tokens.
 *
 * Written by https://github.com/triton-inference-server/perf_analyzer/tree/main/genai-perf/genai_perf/export_data
 */
export const genaiPerf: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'a JSON report with input_config and time_to_first_token, CSV that begins Metric,avg,min,max,p99 or Config Name, or the box LLM Metrics',
  command: 'genai-perf profile -m MODEL --streaming (send profile_export_genai_perf.json)',
  detect: (artifact) => toClaims(id, findRuns(artifact)),
  read: (artifact, claim) => readRuns(id, findRuns(artifact), claim),
};
