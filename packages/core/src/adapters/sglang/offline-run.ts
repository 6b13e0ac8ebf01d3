import type { MetricName } from '../../metrics/index.ts';
import { offlineLoad } from '../../subjects/load.ts';
import { noResult, noScenario, type ParsedResult, type ReaderNote, type SystemFacts } from '../adapter.ts';

/** The figures of one offline run under the tool's names; missing if it does not report them. */
export interface OfflineFigures {
  successful_requests?: number | null;
  /** Seconds. */
  total_latency?: number | null;
  total_input_tokens?: number | null;
  /** -1 if the engine did not count them. */
  total_output_tokens?: number | null;
  request_throughput?: number | null;
  input_throughput?: number | null;
  output_throughput?: number | null;
  total_throughput?: number | null;
  /** The engine's gauge at the end, not a rate of the run. */
  last_gen_throughput?: number | null;
  /** Input and output tokens per second, as in 2024. */
  throughput?: number | null;
}

/** One run of bench_offline_throughput. */
export interface OfflineRun {
  from: number;
  to: number;
  isClosed: boolean;
  runName: string | null;
  backend: string | null;
  figures: OfflineFigures;
  /** Requested prompts, if a command states them; runs of 2024 do not count them. */
  asked: number | null;
  system: SystemFacts;
  dataset: string | null;
}

const positive = (value: number | null | undefined) => (value != null && value > 0 ? value : null);

function toMetrics({ figures }: OfflineRun): Partial<Record<MetricName, number>> {
  const seconds = positive(figures.total_latency);
  const output = positive(figures.total_output_tokens);
  // If they were not counted, the rates were computed with -1.
  const isCounted = figures.total_output_tokens === undefined || output !== null;
  const perSecond = output === null || seconds === null ? null : output / seconds;
  const metrics: [MetricName, number | null][] = [
    ['requests_ok', positive(figures.successful_requests)],
    ['duration_s', seconds],
    ['input_tokens', positive(figures.total_input_tokens)],
    ['output_tokens', output],
    ['req_s', positive(figures.request_throughput)],
    ['input_tok_s', positive(figures.input_throughput)],
    ['output_tok_s', isCounted ? (positive(figures.output_throughput) ?? perSecond) : null],
    ['total_tok_s', isCounted ? positive(figures.total_throughput ?? figures.throughput) : null],
  ];
  return Object.fromEntries(metrics.filter(([, value]) => value !== null));
}

function toNotes(run: OfflineRun, level: number | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  if (!run.isClosed) {
    const message = 'The block has no closing rule: the paste was cut, and figures may be missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from: run.from, to: run.to } });
  }
  if (level === null) {
    const message = 'The artifact does not state how many prompts were sent.';
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  return notes;
}

/** A run as a result: all prompts are submitted at once. */
export function toOfflineResult(run: OfflineRun): ParsedResult {
  const level = positive(run.figures.successful_requests) ?? run.asked;
  const gauge = positive(run.figures.last_gen_throughput);
  return {
    ...noResult,
    system: run.system,
    scenario: { ...noScenario, dataset: run.dataset === null ? null : { value: run.dataset, origin: 'context' } },
    load: level === null ? offlineLoad : { mode: 'burst', level, regime: 'offline' },
    metrics: toMetrics(run),
    extra: {
      ...(run.runName === null ? {} : { run_name: run.runName }),
      ...(run.backend === null ? {} : { backend: run.backend }),
      ...(gauge === null ? {} : { last_gen_throughput: gauge }),
    },
    notes: toNotes(run, level),
    lines: { from: run.from, to: run.to },
  };
}
