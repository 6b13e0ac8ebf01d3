import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import { findMetric, type MetricName } from '../../metrics/index.ts';
import { offlineLoad } from '../../subjects/load.ts';
import {
  noFacts,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type Repeats,
  type SystemFacts,
} from '../adapter.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { ownSteps } from './own-steps.ts';

/** Timings of one phase. Latencies are in s; null if missing. */
export interface OptimumPhase {
  /** By statistic: `mean`, `p50`, ..., `stdev`. */
  latencyS: ReadonlyMap<string, number>;
  count: number | null;
  values: readonly number[] | null;
  throughput: { value: number; unit: string } | null;
}

export interface OptimumReport {
  /** 1-based, inclusive. */
  from: number;
  to: number;
  prefill: OptimumPhase | null;
  decode: OptimumPhase | null;
  perToken: OptimumPhase | null;
}

/** Configuration of the run, if the report includes it. */
export interface OptimumRun {
  system: Partial<SystemFacts>;
  batchSize: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  extra: Record<string, string | number>;
}

const statistics: [string, string][] = [
  ['mean', 'mean'],
  ['p50', 'p50'],
  ['p90', 'p90'],
  ['p95', 'p95'],
  ['p99', 'p99'],
  ['stdev', 'sd'],
];

function toLatencies(base: string, phase: OptimumPhase | null): [MetricName, number][] {
  return statistics.flatMap(([word, statistic]) => {
    const value = phase?.latencyS.get(word);
    const metric = findMetric(`${base}_${statistic}`);
    return value === undefined || value <= 0 || metric === null ? [] : [[metric.name, shiftDecimal(value, 3)]];
  });
}

/** Prompt tokens per second. The report counts whole prompts (samples), in newer versions tokens. */
function prefillSpeed(phase: OptimumPhase | null, inputTokens: number | null): number | null {
  const throughput = phase?.throughput ?? null;
  if (throughput === null || throughput.value <= 0) return null;
  if (/^tokens?\/s$/.test(throughput.unit)) return throughput.value;
  return throughput.unit === 'samples/s' && inputTokens !== null && inputTokens > 0
    ? throughput.value * inputTokens
    : null;
}

/** Iterations of the same batch, if the report states their number. */
function toRepeats(phase: OptimumPhase | null): Repeats | null {
  if (phase === null || phase.count === null) return null;
  const sd = phase.latencyS.get('stdev');
  return {
    n: phase.count,
    // The report's deviation divides by n, ours by n - 1.
    sd:
      sd === undefined || phase.count < 2
        ? {}
        : { ttft_ms_mean: shiftDecimal(sd, 3) * Math.sqrt(phase.count / (phase.count - 1)) },
    samples: phase.values === null ? null : { ttft_ms_mean: phase.values.map((value) => shiftDecimal(value, 3)) },
  };
}

function toNotes(batchSize: number | null, samples: number | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  if (batchSize === null) {
    const message = 'The report alone does not state the batch size: benchmark.json has both.';
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  if (samples !== null) {
    const message = `Prefill is stated as ${samples} samples/s, which is not a speed in tokens without the length of the prompt.`;
    notes.push({ code: 'unit_unknown', severity: 'info', message, evidence: { prefill_samples_s: samples } });
  }
  return notes;
}

const repeatedSteps: ReaderNote = {
  code: 'steps_repeated',
  severity: 'info',
  message:
    'The per_token section counts the steps of early iterations several times. Each step is counted once instead, or only the mean is taken from the decoding time.',
  evidence: {},
};

const definitions: [string, string][] = [
  ['ttft_ms', 'prefill_only'],
  ['tpot_ms', 'without_first_token'],
  ['itl_ms', 'per_token'],
  ['prefill_tok_s', 'in_process'],
  ['decode_tok_s', 'in_process'],
  ['user_tok_s', 'in_process'],
];

/**
 * A report as a result. Prefill gives the first token. Times of single decoding steps are gaps between tokens; only their
 * mean is also the time per output token. Null if neither phase was timed.
 */
export function toOptimumResult(report: OptimumReport, run: OptimumRun): ParsedResult | null {
  const { prefill, decode } = report;
  const rate = decode?.throughput ?? null;
  const decodeTokS = rate !== null && /^tokens?\/s$/.test(rate.unit) && rate.value > 0 ? rate.value : null;
  const prefillTokS = prefillSpeed(prefill, run.inputTokens);
  const samples = prefillTokS === null && prefill?.throughput?.unit === 'samples/s' ? prefill.throughput.value : null;
  const own = ownSteps(report.perToken, decode);
  const steps = toLatencies('itl_ms', own);
  const mean = steps.find(([name]) => name === 'itl_ms_mean')?.[1];
  const metrics: [MetricName, number][] = [
    ...toLatencies('ttft_ms', prefill).filter(([name]) => name !== 'ttft_ms_sd'),
    ...steps,
    ...(mean === undefined ? [] : ([['tpot_ms_mean', mean]] satisfies [MetricName, number][])),
    ...(prefillTokS === null ? [] : ([['prefill_tok_s', prefillTokS]] satisfies [MetricName, number][])),
    ...(decodeTokS === null ? [] : ([['decode_tok_s', decodeTokS]] satisfies [MetricName, number][])),
  ];
  if (decodeTokS !== null && run.batchSize !== null) metrics.push(['user_tok_s', decodeTokS / run.batchSize]);
  if (metrics.length === 0) return null;
  const names = metrics.map(([name]) => name);
  const stated = (value: number | null) => (value === null ? null : { value, origin: 'stated' as const });
  const hint = run.system.model == null ? null : quantizationHint(run.system.model.value);
  const system = { ...noFacts, ...run.system };
  return {
    ...noResult,
    system: {
      ...system,
      quantization: system.quantization ?? (hint === null ? null : { value: hint, origin: 'inferred' }),
    },
    scenario: { ...noScenario, inputTokens: stated(run.inputTokens), outputTokens: stated(run.outputTokens) },
    load: run.batchSize === null ? offlineLoad : { mode: 'batch', level: run.batchSize },
    metrics: Object.fromEntries(metrics),
    definitions: Object.fromEntries(
      definitions.filter(([base]) => names.some((name) => name === base || name.startsWith(`${base}_`))),
    ),
    repeats: toRepeats(prefill),
    extra: { ...run.extra, ...(samples === null ? {} : { prefill_samples_s: samples }) },
    notes: [...toNotes(run.batchSize, samples), ...(own === report.perToken ? [] : [repeatedSteps])],
    lines: { from: report.from, to: report.to },
  };
}
