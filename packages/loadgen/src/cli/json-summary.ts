import { scenarioTitle } from '@inferboard/core/plans/point';
import { supportedPercentiles } from '@inferboard/core/statistics/supported-percentiles';
import type { Side } from '../compare-servers/paired.ts';
import { failedOf, type LatencySummary } from '../measure/records/summarise-load.ts';
import { doubtsOf } from '../points/doubts.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';
import type { Energy } from '../probe/energy.ts';
import type { Recorder, SkippedPoint } from '../records/recorder.ts';

const rounded = (value: number | null | undefined) => (value == null ? null : Math.round(value * 1000) / 1000);

/** The mean, and the percentiles that the samples support. Null without samples. */
function latencyOf(latency: LatencySummary | null): Record<string, number | null> | null {
  if (latency === null) return null;
  const shown = supportedPercentiles(latency.n).map((p) => [`p${p}`, rounded(latency[`p${p}`])]);
  return { n: latency.n, mean: rounded(latency.mean), ...Object.fromEntries(shown) };
}

function pointOf(found: MeasuredPoint, energy: Energy | undefined, server: Side | null): Record<string, unknown> {
  const { point, record, summary, goodput, cut } = found;
  const { latencies, throughput, by_outcome: outcomes } = summary;
  const hasTokens = record.documents === undefined && summary.output_tokens > 0;
  return {
    ...(server !== null && { server }),
    ...{ scenario: scenarioTitle(point.scenario), load: point.load, repetition: point.repetition },
    ...{ ok: outcomes.ok, failed: failedOf(summary) },
    outcomes: Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0)),
    ttft_ms: latencyOf(latencies.ttft_from_sent),
    itl_ms: latencyOf(latencies.itl_per_chunk),
    tpot_ms: latencyOf(latencies.tpot_per_token),
    e2e_ms: latencyOf(latencies.e2e_from_sent),
    req_s: rounded(throughput?.req_s),
    output_tok_s: hasTokens ? rounded(throughput?.output_tok_s) : null,
    ...(goodput !== null && { goodput_req_s: rounded(goodput.req_s) }),
    ...(energy !== undefined && {
      power_w: rounded(energy.meanW),
      joules_per_output_token: hasTokens ? rounded(energy.joules / summary.output_tokens) : null,
    }),
    cut_short: cut === null ? null : { reason: cut.reason, planned_requests: cut.planned },
    doubts: doubtsOf(found),
  };
}

function skippedOf({ point, refusal, side }: SkippedPoint): Record<string, unknown> {
  return {
    ...(side !== null && { server: side }),
    ...{ scenario: scenarioTitle(point.scenario), load: point.load, repetition: point.repetition },
    ...refusal,
  };
}

/** What a measurement came to. */
export interface Concluded {
  /** File of the records. */
  records: string;
  seed: number;
  exitCode: number;
  /** Of a search, of repetitions and of a comparison, in words. */
  conclusions: readonly string[];
  /** Pages of submissions. */
  submissions: readonly string[];
}

/** The document that `--json` prints. Names of figures are those of the native format. */
export function toJsonSummary(
  rest: Concluded,
  { measured, sides, skipped, energies }: Pick<Recorder, 'measured' | 'sides' | 'skipped' | 'energies'>,
): Record<string, unknown> {
  return {
    ...{ records: rest.records, seed: rest.seed, exit_code: rest.exitCode },
    points: measured.map((found, at) => pointOf(found, energies.get(found), sides[at] ?? null)),
    skipped: skipped.map(skippedOf),
    ...{ conclusions: rest.conclusions, submissions: rest.submissions },
  };
}
