import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { MetricName } from '../../metrics/index.ts';
import { offlineLoad } from '../../subjects/load.ts';
import { type Fact, noResult, noScenario, type ParsedResult, type ReaderNote, type SystemFacts } from '../adapter.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';

/** One static batch in the benchmark's process. Times are in seconds; null if missing. */
export interface OneBatchRun {
  from: number;
  to: number;
  /** Free text from the submitter; the console does not print it. */
  runName: string | null;
  batch: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  prefillS: number | null;
  prefillTokS: number | null;
  /** Median of the decoding steps. */
  stepS: number | null;
  decodeTokS: number | null;
  totalS: number | null;
  totalTokS: number | null;
  system: SystemFacts;
  origin: Fact<number>['origin'];
  repetition: number | null;
  isClosed: boolean;
}

const definitions: Record<string, string> = {
  ttft_ms: 'prefill_only',
  tpot_ms: 'without_first_token',
  e2e_ms: 'whole_batch',
  prefill_tok_s: 'in_process',
  decode_tok_s: 'in_process',
};

function toMetrics(run: OneBatchRun): [MetricName, number][] {
  const { batch, outputTokens: output, totalS } = run;
  const ms = (seconds: number | null) => (seconds === null ? null : shiftDecimal(seconds, 3));
  const metrics: [MetricName, number | null][] = [
    ['ttft_ms_mean', ms(run.prefillS)],
    ['tpot_ms_p50', ms(run.stepS)],
    ['e2e_ms_mean', ms(totalS)],
    ['output_tok_s', batch === null || output === null || totalS === null ? null : (batch * output) / totalS],
    ['total_tok_s', run.totalTokS],
    ['prefill_tok_s', run.prefillTokS],
    ['decode_tok_s', run.decodeTokS],
  ];
  // A time or speed of 0 was rounded.
  return metrics.filter((entry): entry is [MetricName, number] => entry[1] !== null && entry[1] > 0);
}

function toNotes(run: OneBatchRun): ReaderNote[] {
  const notes: ReaderNote[] = [];
  if (!run.isClosed) {
    const message = 'The output ends before the total of the batch: the paste was cut, and figures are missing.';
    notes.push({ code: 'truncated', severity: 'info', message, evidence: { from: run.from, to: run.to } });
  }
  if (run.batch === null) {
    const message = 'Neither the output nor the command before it states the batch size.';
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  return notes;
}

/** A batch as a result. */
export function toOneBatchResult(run: OneBatchRun): ParsedResult {
  const metrics = toMetrics(run);
  const hint = run.runName === null ? null : quantizationHint(run.runName);
  const fact = (value: number | null): Fact<number> | null => (value === null ? null : { value, origin: run.origin });
  return {
    ...noResult,
    system: hint === null ? run.system : { ...run.system, quantization: { value: hint, origin: 'inferred' } },
    scenario: { ...noScenario, inputTokens: fact(run.inputTokens), outputTokens: fact(run.outputTokens) },
    load: run.batch === null ? offlineLoad : { mode: 'batch', level: run.batch },
    repetition: run.repetition,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: run.runName === null ? {} : { run_name: run.runName },
    notes: toNotes(run),
    lines: { from: run.from, to: run.to },
  };
}
