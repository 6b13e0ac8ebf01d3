import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import type { ReaderNote } from '../adapter.ts';

/** A factor closer to 1000, the ratio of s to ms, than to 1. */
const farOff = Math.sqrt(1000);

/** Faster than any service streams to one user. */
const fastestUserTokS = 5000;

/** Figures to compare request latencies with. */
export interface LatencyContext {
  metrics: ReadonlyMap<MetricName, number>;
  load: KnownLoad | null;
  /** Tokens per answered request. */
  meanOutput: number | null;
  /** As the report states it. */
  unit: string;
}

const short = (value: number) => String(Number(value.toPrecision(3)));

/**
 * A warning about the stated unit of request latencies; null if nothing contradicts it. People and converters assemble
 * reports, and example reports of the project label seconds as `ms`. The figures stay as stated.
 */
export function findUnitDoubt({ metrics, load, meanOutput, unit }: LatencyContext): ReaderNote | null {
  const e2eMs = metrics.get('e2e_ms_mean');
  if (e2eMs === undefined) return null;
  const e2eS = e2eMs / 1000;
  const figure = `The mean request latency of ${short(unit === 's' ? e2eS : e2eMs)} ${unit}`;
  const doubt = (reason: string, evidence: Record<string, unknown>): ReaderNote => ({
    code: 'unit_doubtful',
    severity: 'warning',
    message: `${figure} ${reason}: its unit may be different.`,
    evidence: { unit, e2e_ms_mean: e2eMs, ...evidence },
  });
  const perSecond = metrics.get('req_s');
  const answered = metrics.get('requests_ok');
  if (load?.mode === 'concurrency' && perSecond !== undefined) {
    const inFlight = perSecond * e2eS;
    const ratio = inFlight / load.level;
    if (ratio > farOff || ratio < 1 / farOff)
      return doubt(
        `at ${short(perSecond)} requests per second keeps ${short(inFlight)} in flight instead of the requested ${load.level}`,
        { in_flight: inFlight, concurrency: load.level, ratio },
      );
  }
  const windowS =
    metrics.get('duration_s') ?? (answered === undefined || perSecond === undefined ? undefined : answered / perSecond);
  if (windowS !== undefined && e2eS > windowS)
    return doubt(`is longer than the whole run of ${short(windowS)} s`, { duration_s: windowS, ratio: e2eS / windowS });
  if (meanOutput === null || meanOutput < 2) return null;
  const userTokS = meanOutput / e2eS;
  if (userTokS <= fastestUserTokS) return null;
  return doubt(`for ${short(meanOutput)} tokens would be ${short(userTokS)} tokens per second to one user`, {
    output_tokens_mean: meanOutput,
    user_tok_s: userTokS,
  });
}
