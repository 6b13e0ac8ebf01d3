import type { KnownLoad } from '../../subjects/load.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { type AisFigures, readAisFigures } from './figures.ts';
import { type AisTables, findAisTables } from './tables.ts';

const id = 'aisbench';

/** The model configuration, which users paste above the report. */
interface Config {
  model: string | null;
  /** Requests per second; null if there was no pacing or it is not stated. */
  rate: number | null;
}

const setting = /^\s{0,40}(model|path|request_rate) {0,4}= {0,4}(?:["']([^"']{1,300})["']|([\d.]{1,20}))\s{0,20},/;
const taskLine = /Performance Results of task:? \[?([\w.+-]{1,100})\/([\w.+-]{1,100})\]?/;
/** Number of lines that may contain a configuration. */
const contextLines = 400;

function readConfig(artifact: ArtifactText, from: number, to: number): Config {
  const settings = new Map<string, Set<string>>();
  for (let line = Math.max(from, to - contextLines); line <= to; line++) {
    const [, name = '', text, number] = setting.exec(artifact.lineAt(line).slice(0, 500)) ?? [];
    if (name !== '') settings.set(name, (settings.get(name) ?? new Set()).add(text ?? number ?? ''));
  }
  const only = (name: string) => {
    const values = [...(settings.get(name) ?? [])];
    return values.length === 1 ? (values[0] ?? null) : null;
  };
  const served = only('model');
  const rate = parseNumber(only('request_rate') ?? '');
  // The tool treats lower rates as no pacing.
  return {
    model: served?.includes('/') ? served : (only('path') ?? served),
    rate: rate !== null && rate >= 0.1 ? rate : null,
  };
}

/** A closed loop that is half empty was not closed; another limit paced it. */
const leastShare = 0.5;

function toLoad({ cap, sent, inFlight }: AisFigures, rate: number | null): KnownLoad | null {
  if (cap === null || sent === null || cap === 0 || sent === 0) return null;
  if (rate !== null) return { mode: 'rate', level: rate, maxConcurrency: cap };
  if (inFlight === null || inFlight < leastShare * Math.min(cap, sent)) return null;
  return cap < sent || sent === 1
    ? { mode: 'concurrency', level: Math.min(cap, sent) }
    : { mode: 'burst', level: sent };
}

function toNotes(run: AisFigures, load: KnownLoad | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  const addNote = (code: string, severity: ReaderNote['severity'], message: string) =>
    notes.push({ code, severity, message, evidence: {} });
  if (load === null) addNote('load_unknown', 'warning', 'The artifact does not state how the requests were sent.');
  if (run.cameAtOnce)
    addNote(
      'not_streamed',
      'info',
      'The first token arrived with the last, so the responses were not streamed. Token times are omitted.',
    );
  if (run.stage !== 'total')
    addNote(
      'steady_window',
      'info',
      'The rates cover the time at full load and count responses that ended after it, so they are stored as additional data, not as metrics.',
    );
  return notes;
}

function toResult(tables: AisTables, run: AisFigures, config: Config, dataset: string | null): ParsedResult {
  const load = toLoad(run, config.rate);
  return {
    ...noResult,
    system: { ...noFacts, ...modelFacts(config.model, 'context') },
    scenario: {
      ...noScenario,
      ...measuredLengths(run.meanInput, run.meanOutput),
      dataset: dataset === null ? null : { value: dataset, origin: 'context' },
    },
    load,
    metrics: Object.fromEntries(run.figures.metrics),
    definitions: definitionsOf(run.figures.metrics, {
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      itl_ms: 'per_chunk',
      e2e_ms: 'request',
    }),
    extra: {
      ...(run.stage === 'total' ? {} : { stage: run.stage }),
      ...(run.inFlight === null ? {} : { concurrency: run.inFlight }),
      ...(run.cap === null ? {} : { max_concurrency: run.cap }),
      ...run.figures.extra,
    },
    notes: toNotes(run, load),
    lines: { from: tables.from, to: tables.to },
  };
}

/**
 * `ais_bench --mode perf`: for each task, a grid of request statistics and a grid of the whole run. Latencies are defined as
 * in vLLM's benchmark. The grids do not state the model or the rate; the configuration states both, if it was pasted too.
 *
 * Written by https://github.com/AISBench/benchmark/blob/master/ais_bench/benchmark/calculators/base_perf_metric_calculator.py
 */
export const aisbench: Adapter = {
  id,
  title: 'ais_bench',
  kind: 'serving',
  recognises:
    'a grid with the columns "Performance Parameters", "Stage", "Average", or "Common Metric", "Stage", "Value"',
  command: 'ais_bench --models vllm_api_stream_chat --datasets synthetic_gen --mode perf | tee result.txt',
  detect: (artifact) => findAisTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: id, version: null };
    const { found, before } = findAt(findAisTables(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const faults = [...(found.requests?.faults ?? []), ...(found.common?.faults ?? [])];
    if (faults.length > 0) throw new ArtifactError(faults);
    const config = readConfig(artifact, (before?.to ?? 0) + 1, found.from - 1);
    const dataset = taskLine.exec(artifact.lineAt(found.from - 1).slice(0, 500))?.[2] ?? null;
    const read = readEach(readAisFigures(found), found.from, (run) => {
      if (run.figures.faults.length > 0) throw new ArtifactError(run.figures.faults);
      checkMeasured(run.figures.metrics, found.from, run.sent);
      return { result: toResult(found, run, config, dataset), ignored: run.figures.ignored };
    });
    return { tool, ...read, ...noRemarks };
  },
};
