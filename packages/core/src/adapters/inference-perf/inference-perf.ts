import { figure } from '../../checks/check.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { type Adapter, noFacts, noRemarks, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import {
  hasAll,
  isObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { readInferencePerf } from './record.ts';

const id = 'inference-perf';

const findReports = recordFinder((value) =>
  hasAll(value, ['load_summary', 'successes', 'failures']) && isObject(value.load_summary) && isObject(value.successes)
    ? 'whole'
    : null,
);

const formulas = {
  ttft_ms: 'send_to_first_token',
  tpot_ms: 'without_first_token',
  itl_ms: 'per_chunk',
  e2e_ms: 'request',
};

/** Below this share of the requested rate, the load generator was late. */
const heldShare = 0.95;

type Report = ReturnType<typeof readInferencePerf>;

function toLoad({ concurrency, requestedRate }: Report): KnownLoad | null {
  if (concurrency !== null && concurrency > 0) return { mode: 'concurrency', level: concurrency };
  return requestedRate !== null && requestedRate > 0 ? { mode: 'rate', level: requestedRate } : null;
}

function toNotes(report: Report, load: KnownLoad | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  if (load === null) {
    const message = 'The summary pools every stage of the run and does not state how its requests were sent.';
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  const { requestedRate: asked, achievedRate: sent } = report;
  if (load?.mode === 'rate' && asked !== null && sent !== null && sent < heldShare * asked) {
    const message = `${figure(asked)} requests per second were requested and ${figure(sent)} were sent: the generator was late.`;
    notes.push({
      code: 'rate_not_sent',
      severity: 'warning',
      message,
      evidence: { requested_rate: asked, achieved_rate: sent },
    });
  }
  if (report.doubled !== null) {
    const message =
      'The times per token are about half of what latency and output length imply: this version counted a start token with every chunk.';
    notes.push({
      code: 'tokens_counted_twice',
      severity: 'warning',
      message,
      evidence: { ratio: report.doubled },
    });
  }
  return notes;
}

function toResult(report: Report, { from, to }: JsonRecord): ParsedResult {
  const { figures } = report;
  const load = toLoad(report);
  return {
    kind: 'serving',
    system: { ...noFacts, features: report.cachedTokens > 0 ? { prefix_caching: true } : {} },
    scenario: { ...noScenario, ...measuredLengths(report.meanInput, report.meanOutput) },
    load,
    repetition: null,
    metrics: Object.fromEntries(figures.metrics),
    definitions: definitionsOf(figures.metrics, formulas),
    repeats: null,
    requests: null,
    limits: null,
    ...(report.doubled === null
      ? {}
      : { tolerance: { share: 1, reason: 'Tokens of a chunk were counted with a start token each.' } }),
    extra: figures.extra,
    notes: toNotes(report, load),
    measuredAt: null,
    lines: { from, to },
  };
}

/**
 * The lifecycle reports of `inference-perf`: one for each stage, and a summary over all stages. All times are in seconds. A
 * separate configuration names the model, the GPU and the engine. Its Prometheus reports contain server-side counts and are
 * rejected.
 *
 * Written by https://github.com/kubernetes-sigs/inference-perf/blob/main/inference_perf/reportgen/base.py
 */
export const inferencePerf: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises: 'a JSON report with load_summary, successes (with latency) and failures',
  command: 'inference-perf --config_file config.yml (send stage_N_lifecycle_metrics.json)',
  detect: (artifact) => toClaims(id, findReports(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findReports(artifact), claim), claim.from, (record) => {
      const report = readInferencePerf(record);
      return { result: toResult(report, record), ignored: report.figures.ignored, faults: report.figures.faults };
    });
    return { tool: { name: id, version: null }, ...read, ...noRemarks };
  },
};
