import type { KnownLoad } from '../../subjects/load.ts';
import { type Adapter, noRemarks, noResult, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import {
  hasAll,
  isObject,
  type JsonObject,
  type JsonRecord,
  objectOf,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import {
  addLatency,
  addMetric,
  definitionsOf,
  noFigures,
  type ReportFigures,
  readFigure,
} from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { datasetOf, isExperiment, parseTraffic, type Traffic, toServer, versionOf } from './experiment.ts';
import { itemsOf, type RequestList, readRequestList } from './requests.ts';

const id = 'genai-bench';

const isRun = (value: JsonObject) =>
  hasAll(value, ['aggregated_metrics', 'individual_request_metrics']) && isObject(value.aggregated_metrics);

const findRecords = recordFinder((value) => (isRun(value) ? 'whole' : isExperiment(value) ? 'likely' : null));

const findExperiments = cachedPerArtifact((artifact) => findRecords(artifact).filter(({ value }) => !isRun(value)));

/** The last description before a line (1-based); null if there is none. */
function findExperiment(artifact: ArtifactText, line: number): JsonObject | null {
  const found = findExperiments(artifact);
  return found[countBefore(found, line) - 1]?.value ?? null;
}

const formulas = { ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token', e2e_ms: 'request' };
const latencies = [
  ['ttft', 'ttft_ms'],
  ['tpot', 'tpot_ms'],
  ['e2e_latency', 'e2e_ms'],
] as const;
const words = { stddev: 'std' };
const known = new Set(['aggregated_metrics', 'individual_request_metrics', '_time_unit']);
const knownOfRun = new Set([
  ...['scenario', 'num_concurrency', 'iteration_type', 'batch_size', 'run_duration', 'stats'],
  ...['mean_output_throughput_tokens_per_s', 'mean_input_throughput_tokens_per_s', 'requests_per_second'],
  ...['mean_total_tokens_throughput_tokens_per_s', 'requests_per_minute', 'num_error_requests'],
  ...['num_completed_requests', 'num_requests'],
]);
const knownOfStats = new Set([...latencies.map(([name]) => name as string), 'num_input_tokens', 'num_output_tokens']);

/** Decimal places from the latency unit to ms. The unit is seconds until 2025-09 and by default. */
function readUnit(figures: ReportFigures, value: JsonObject): 0 | 3 {
  const { _time_unit: unit = 's' } = value;
  if (unit === 's') return 3;
  if (unit === 'ms') return 0;
  const message = `/_time_unit: expected "s" or "ms", found ${JSON.stringify(unit).slice(0, 40)}`;
  figures.faults.push({ code: 'unit_unknown', line: figures.line, pointer: '/_time_unit', message });
  return 3;
}

/** A sum over the requests behind the statistics. Mean and sum give their number. */
function sumOf(figures: ReportFigures, stats: JsonObject, name: string): number | null {
  return readFigure(figures, objectOf(stats[name]).sum, `/aggregated_metrics/stats/${name}/sum`);
}

interface Run {
  figures: ReportFigures;
  traffic: Traffic;
  scenario: string | null;
  load: KnownLoad | null;
  list: RequestList;
  meanInput: number | null;
  meanOutput: number | null;
  /** True if all statistics exclude requests at the beginning or the end. */
  isTrimmed: boolean;
}

function readRun({ value, from }: JsonRecord): Run {
  const figures = noFigures(from);
  const run = objectOf(value.aggregated_metrics);
  const stats = objectOf(run.stats);
  const at = (name: string) => `/aggregated_metrics/${name}`;
  for (const name of Object.keys(value)) if (!known.has(name)) figures.ignored.add(name);
  for (const name of Object.keys(run)) if (!knownOfRun.has(name)) figures.ignored.add(name);
  for (const name of Object.keys(stats)) if (!knownOfStats.has(name)) figures.ignored.add(`stats.${name}`);
  const places = readUnit(figures, value);
  const list = readRequestList(figures, itemsOf(value), places);
  const ok = addMetric(figures, 'requests_ok', run.num_completed_requests, at('num_completed_requests'));
  const failed = addMetric(figures, 'requests_failed', run.num_error_requests, at('num_error_requests'));
  if (ok === 0) {
    const message = `0 of ${failed ?? 0} requests succeeded: nothing was measured.`;
    figures.faults.push({ code: 'nothing_measured', line: from, message });
  }
  const [input, output] = [sumOf(figures, stats, 'num_input_tokens'), sumOf(figures, stats, 'num_output_tokens')];
  const isTrimmed =
    list.requests.length > 0 && output !== null && list.outputTokens !== null && output < list.outputTokens;
  const seconds = readFigure(figures, run.run_duration, at('run_duration'));
  if (seconds !== null && seconds > 0) figures.metrics.set('duration_s', seconds);
  const perSecond = readFigure(figures, run.requests_per_second, at('requests_per_second'));
  const perMinute = readFigure(figures, run.requests_per_minute, at('requests_per_minute'));
  const rate = perSecond ?? (perMinute === null ? null : perMinute / 60);
  if (rate !== null && rate > 0) figures.metrics.set('req_s', rate);
  if (!isTrimmed) {
    if (input !== null && input > 0) figures.metrics.set('input_tokens', input);
    if (output !== null && output > 0) figures.metrics.set('output_tokens', output);
    // Files without a duration are older; their input and output rates cover a different time.
    const rates = [
      ['total_tok_s', 'mean_total_tokens_throughput_tokens_per_s'],
      ...(seconds === null
        ? []
        : ([
            ['output_tok_s', 'mean_output_throughput_tokens_per_s'],
            ['input_tok_s', 'mean_input_throughput_tokens_per_s'],
          ] as const)),
    ] as const;
    for (const [metric, name] of rates) {
      const found = readFigure(figures, run[name], at(name));
      if (found !== null && found > 0) figures.metrics.set(metric, found);
    }
  }
  // Without output tokens, the first token is the end of the request.
  const isAnswered = output === null || output > 0;
  for (const [name, family] of latencies)
    if (isAnswered || family === 'e2e_ms')
      addLatency(figures, family, stats[name], { pointer: at(`stats/${name}`), places, words });
  const scenario = typeof run.scenario === 'string' ? run.scenario.slice(0, 100) : null;
  const users = readFigure(figures, run.num_concurrency, at('num_concurrency'));
  const batch = readFigure(figures, run.batch_size, at('batch_size'));
  if (run.iteration_type === 'batch_size' && batch !== null) figures.extra.documents_per_request = batch;
  return {
    figures,
    traffic: parseTraffic(scenario),
    scenario,
    load: users === null || users === 0 ? null : { mode: 'concurrency', level: users },
    list,
    meanInput: readFigure(figures, objectOf(stats.num_input_tokens).mean, at('stats/num_input_tokens/mean')),
    meanOutput: readFigure(figures, objectOf(stats.num_output_tokens).mean, at('stats/num_output_tokens/mean')),
    isTrimmed,
  };
}

function toNotes({ traffic, scenario, isTrimmed, load }: Run): ReaderNote[] {
  const notes: ReaderNote[] = [];
  const addNote = (code: string, severity: ReaderNote['severity'], message: string) =>
    notes.push({ code, severity, message, evidence: {} });
  if (load === null)
    addNote('load_unknown', 'warning', 'The artifact does not state how many requests were in flight.');
  if (isTrimmed)
    addNote(
      'requests_trimmed',
      'info',
      'The first or last requests are excluded from the statistics, but their time is in the duration. Token rates are omitted.',
    );
  if (traffic.kind === 'image')
    addNote(
      'media_in_requests',
      'info',
      `The requests contained images (${scenario}): input tokens count only the text.`,
    );
  if (traffic.kind === 'embedding' || traffic.kind === 'other')
    addNote('no_answers', 'info', `The requests (${scenario}) had no output tokens.`);
  return notes;
}

function toResult(run: Run, experiment: JsonObject | null, { from, to }: JsonRecord): ParsedResult {
  const { figures, traffic, list } = run;
  const isComplete = list.requests.length > 0 && !run.isTrimmed && !list.isFiltered;
  return {
    ...noResult,
    system: toServer(experiment),
    scenario: {
      ...noScenario,
      ...traffic.facts,
      ...measuredLengths(run.meanInput, run.meanOutput),
      dataset: datasetOf(experiment),
    },
    load: run.load,
    metrics: Object.fromEntries(figures.metrics),
    definitions: definitionsOf(figures.metrics, formulas),
    requests: isComplete ? list.requests : null,
    extra: { ...(run.scenario === null ? {} : { traffic: run.scenario }), ...figures.extra },
    notes: toNotes(run),
    lines: { from, to },
  };
}

/**
 * The results of genai-bench: one file for each traffic pattern and number of users, and an experiment description. The
 * description names the model and the server if it is pasted before the results.
 *
 * Written by https://github.com/sgl-project/genai-bench/blob/main/genai_bench/metrics/aggregated_metrics_collector.py
 */
export const genaiBench: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises: 'a JSON report with aggregated_metrics and individual_request_metrics',
  command: 'genai-bench benchmark ... (send experiment_metadata.json followed by the result files)',
  detect: (artifact) => toClaims(id, findRecords(artifact)),
  read: (artifact, claim) => {
    let version: string | null = null;
    const records = within(findRecords(artifact), claim).filter(({ value }) => isRun(value));
    const read = readEach(records, claim.from, (record) => {
      const experiment = findExperiment(artifact, record.from);
      version ??= versionOf(experiment);
      const run = readRun(record);
      const { ignored, faults } = run.figures;
      return { result: toResult(run, experiment, record), ignored, faults };
    });
    return { tool: { name: id, version }, ...read, ...noRemarks };
  },
};
