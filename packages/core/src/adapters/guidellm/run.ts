import type { KnownLoad } from '../../subjects/load.ts';
import { type Fact, noFacts, noScenario, type ParsedResult, type ReaderNote, type Tolerance } from '../adapter.ts';
import { askedLength, measuredLengths } from '../reading/figures/measured-lengths.ts';
import { definitionsOf, type ReportFigures } from '../reading/figures/report-figures.ts';
import type { Workload } from './workload.ts';

/**
 * GuideLLM layouts by the formula of their time per output token: (last - first) / n until 0.3, which matches neither of our
 * definitions, and (last - start) / n since 0.4. Inter-token latency is (last - first) / (n - 1) in both. 0.1 wrote no
 * figures.
 */
export type Generation = 'in 0.1' | 'until 0.3' | 'since 0.4';

/** One benchmark of a GuideLLM report, in any of its formats. */
export interface GuideRun {
  from: number;
  to: number;
  generation: Generation;
  /** Inter-token latency is stored as `tpot_ms`; `total_tok_s` as printed. */
  figures: ReportFigures;
  /** `synchronous`, `constant@1.15`; null if unknown. */
  strategy: string | null;
  load: KnownLoad | null;
  model: Fact<string> | null;
  workload: Workload;
  /** Tokens per answered request. */
  meanInput: number | null;
  meanOutput: number | null;
  /** False if no request was completed: all its figures are zeros. */
  isAnswered: boolean;
  /** True if throughput counts requests that the time limit cut off. */
  countsCutOff: boolean;
  measuredAt: string | null;
}

const formulas = { ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token', e2e_ms: 'request' };

/** Tolerance of rates, which GuideLLM computes from token times over a different window. */
const rateShare = 0.05;

/** Tolerance if requests are not counted. There may be only a few dozen. */
const uncountedShare = 0.1;

/** With few requests, the one or two at the edges of the window exceed the usual share. */
function toleranceFor(ok: number | undefined): Tolerance {
  const share = ok === undefined ? uncountedShare : Math.max(rateShare, Math.min(0.5, 2.2 / ok));
  return { share, reason: 'GuideLLM computes its rates from token times, not from totals over the duration.' };
}

/** Returns the token total. 0.2 added the prompt twice; this removes the second count. */
function fixTotal({ generation, figures, meanInput }: GuideRun): { printed: number; mended: number } | null {
  const { metrics } = figures;
  const [total, output, requests] = [metrics.get('total_tok_s'), metrics.get('output_tok_s'), metrics.get('req_s')];
  if (generation !== 'until 0.3' || total === undefined || output === undefined || requests === undefined) return null;
  if (meanInput === null || meanInput === 0) return null;
  const input = requests * meanInput;
  const isTwice = Math.abs(total - output - 2 * input) < Math.abs(total - output - input);
  return isTwice ? { printed: total, mended: Number((output + input).toPrecision(12)) } : null;
}

function toNotes(run: GuideRun, mended: ReturnType<typeof fixTotal>): ReaderNote[] {
  const notes: ReaderNote[] = [];
  const name = run.strategy ?? 'one benchmark';
  if (!run.isAnswered) {
    const message = `No request of ${name} was completed: nothing was measured there.`;
    notes.push({ code: 'no_request_completed', severity: 'warning', message, evidence: {} });
    return notes;
  }
  if (run.load === null) {
    const message = `The artifact does not fully state how the requests of ${name} were sent.`;
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  if (mended !== null) {
    const message = `Total throughput is printed as ${mended.printed} tok/s, with the prompt counted twice; it is stored as the sum of output and input.`;
    notes.push({
      code: 'total_counted_twice',
      severity: 'info',
      message,
      evidence: { printed: mended.printed, total_tok_s: mended.mended },
    });
  }
  const cutOff = run.figures.extra.requests_incomplete ?? 0;
  if (run.strategy === 'throughput' && run.load?.mode === 'concurrency' && run.load.level === cutOff) {
    const message = `${cutOff} requests were in flight when the run ended: the same number was in flight throughout the run.`;
    notes.push({ code: 'load_from_requests_in_flight', severity: 'info', message, evidence: { in_flight: cutOff } });
  }
  if (cutOff > 0) {
    const subject =
      cutOff === 1
        ? '1 request was cut off by the end of the run: it'
        : `${cutOff} requests were cut off by the end of the run: they`;
    const message = `${subject} neither succeeded nor failed.`;
    notes.push({ code: 'requests_incomplete', severity: 'info', message, evidence: { incomplete: cutOff } });
  }
  if (run.countsCutOff) {
    const message = 'Throughput includes requests that were cut off by the end of the run.';
    notes.push({ code: 'throughput_of_all', severity: 'info', message, evidence: {} });
  }
  return notes;
}

/** One benchmark as a result. */
export function toGuideResult(run: GuideRun): ParsedResult {
  const { figures, workload, from, to } = run;
  const mended = fixTotal(run);
  if (mended !== null) figures.metrics.set('total_tok_s', mended.mended);
  const kept = [...figures.metrics].filter(([name]) => run.isAnswered || name.startsWith('requests_'));
  const incomplete = figures.extra.requests_incomplete;
  return {
    kind: 'serving',
    system: { ...noFacts, model: run.model },
    scenario: {
      ...noScenario,
      inputTokens: askedLength(workload.input, workload.inputVaries),
      outputTokens: askedLength(workload.output, workload.outputVaries),
      ...measuredLengths(run.meanInput, run.meanOutput),
      dataset: workload.dataset === null ? null : { value: workload.dataset, origin: 'stated' },
    },
    load: run.load,
    repetition: null,
    metrics: Object.fromEntries(kept),
    definitions: run.isAnswered ? definitionsOf(figures.metrics, formulas) : {},
    repeats: null,
    requests: null,
    limits: null,
    ...(run.generation === 'in 0.1' ? {} : { tolerance: toleranceFor(figures.metrics.get('requests_ok')) }),
    extra: {
      ...(run.strategy === null ? {} : { strategy: run.strategy }),
      ...(run.isAnswered ? figures.extra : incomplete === undefined ? {} : { requests_incomplete: incomplete }),
    },
    notes: toNotes(run, mended),
    measuredAt: run.measuredAt,
    lines: { from, to },
  };
}
