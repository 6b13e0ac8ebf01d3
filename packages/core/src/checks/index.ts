import type { ResultStatus } from '../subjects/result.ts';
import type { Subject } from '../subjects/subject.ts';
import { a1SaneFigures } from './arithmetic/a1-sane-figures.ts';
import { a2RequestRate } from './arithmetic/a2-request-rate.ts';
import { a3TokenRate } from './arithmetic/a3-token-rate.ts';
import { a11InFlight } from './arithmetic/a11-in-flight.ts';
import { a12LoadHeld } from './arithmetic/a12-load-held.ts';
import { a13OutputRate } from './arithmetic/a13-output-rate.ts';
import { a14DecodeRate } from './arithmetic/a14-decode-rate.ts';
import { a16RequestsCounted } from './arithmetic/a16-requests-counted.ts';
import { a17LengthsAllowed } from './arithmetic/a17-lengths-allowed.ts';
import { a18Variance } from './arithmetic/a18-variance.ts';
import { a19LongEnough } from './arithmetic/a19-long-enough.ts';
import { a20TotalHoldsParts } from './arithmetic/a20-total-holds-parts.ts';
import { a22RateHeld } from './arithmetic/a22-rate-held.ts';
import { type Check, type Finding, unchecked } from './check.ts';
import { a4PercentileOrder } from './latency/a4-percentile-order.ts';
import { a5MeanWithinRange } from './latency/a5-mean-within-range.ts';
import { a6MedianNearMean } from './latency/a6-median-near-mean.ts';
import { a7PercentileNearMean } from './latency/a7-percentile-near-mean.ts';
import { a8RequestAddsUp } from './latency/a8-request-adds-up.ts';
import { a9GapsAddUp } from './latency/a9-gaps-add-up.ts';
import { a10StepsAddUp } from './latency/a10-steps-add-up.ts';
import { a15TtftWithinE2e } from './latency/a15-ttft-within-e2e.ts';
import { a21GapsAreTokens } from './latency/a21-gaps-are-tokens.ts';
import { knownEngine, knownGpu, knownModel } from './physics/known-facts.ts';
import { p0BitsPerWeight } from './physics/p0-bits-per-weight.ts';
import { p1MemoryFit } from './physics/p1-memory-fit.ts';
import { p2UserSpeed } from './physics/p2-user-speed.ts';
import { p3SystemSpeed } from './physics/p3-system-speed.ts';
import { p4ComputeBudget } from './physics/p4-compute-budget.ts';
import { p5PrefillFloor } from './physics/p5-prefill-floor.ts';
import { p6Power } from './physics/p6-power.ts';
import { p7Scaling } from './physics/p7-scaling.ts';
import { p8PowerLimit } from './physics/p8-power-limit.ts';
import { p9DraftTokens } from './physics/p9-draft-tokens.ts';
import { p10ParameterCount } from './physics/p10-parameter-count.ts';
import { r1RecordsContradict } from './records/r1-records-contradict.ts';
import { r2OutputShortfall } from './records/r2-output-shortfall.ts';
import { r3PrefixCache } from './records/r3-prefix-cache.ts';
import { r4ErrorRate } from './records/r4-error-rate.ts';
import { r5Saturated } from './records/r5-saturated.ts';
import { r6RecordIdentity } from './records/r6-record-identity.ts';
import { r7RepeatedRecords } from './records/r7-repeated-records.ts';
import { r8GeneratorLimited } from './records/r8-generator-limited.ts';
import { r9CutShort } from './records/r9-cut-short.ts';
import { r10ConstantSpeed } from './records/r10-constant-speed.ts';
import { simulated } from './simulated.ts';

/** The registry, in display order: facts (F), arithmetic (A), physics (P), records (R). */
export const checks: readonly Check[] = [
  knownGpu,
  knownModel,
  knownEngine,
  simulated,
  a1SaneFigures,
  a2RequestRate,
  a3TokenRate,
  a4PercentileOrder,
  a5MeanWithinRange,
  a6MedianNearMean,
  a7PercentileNearMean,
  a8RequestAddsUp,
  a9GapsAddUp,
  a10StepsAddUp,
  a11InFlight,
  a12LoadHeld,
  a13OutputRate,
  a14DecodeRate,
  a15TtftWithinE2e,
  a16RequestsCounted,
  a17LengthsAllowed,
  a18Variance,
  a19LongEnough,
  a20TotalHoldsParts,
  a21GapsAreTokens,
  a22RateHeld,
  p0BitsPerWeight,
  p1MemoryFit,
  p2UserSpeed,
  p3SystemSpeed,
  p4ComputeBudget,
  p5PrefillFloor,
  p6Power,
  p7Scaling,
  p8PowerLimit,
  p9DraftTokens,
  p10ParameterCount,
  r1RecordsContradict,
  r2OutputShortfall,
  r3PrefixCache,
  r4ErrorRate,
  r5Saturated,
  r6RecordIdentity,
  r7RepeatedRecords,
  r8GeneratorLimited,
  r9CutShort,
  r10ConstantSpeed,
];

/** The outcome of all checks for one result. */
export interface Judgement {
  /** In registry order, including unchecked ones. */
  findings: Finding[];
  /** Ids of the checks that ran without findings. */
  passed: string[];
}

export function judge(subject: Subject): Judgement {
  const findings: Finding[] = [];
  const passed: string[] = [];
  for (const check of checks) {
    const answer = check.check(subject);
    if (answer === 'pass') passed.push(check.id);
    else if (answer !== 'not_applicable') {
      for (const { code = check.code, severity, message, evidence } of answer)
        findings.push({ code, severity, message, evidence: { check: check.id, ...evidence } });
    }
  }
  return { findings, passed };
}

const byId = new Map(checks.map((check) => [check.id, check]));

/** Rebuilds the sentence of an unchecked check from its id and missing inputs, so the database need not store it. */
export function noteUnchecked(checkId: string, missing: readonly string[]): Finding[] {
  const check = byId.get(checkId);
  if (check === undefined) return [];
  return unchecked(check.title, [...missing]).map(({ severity, message, evidence }) => ({
    code: check.code,
    severity,
    message,
    evidence: { check: check.id, ...evidence },
  }));
}

const quarantining = new Set([knownGpu.code, knownModel.code, knownEngine.code]);

/**
 * `simulated` if no model was measured, which no review changes; `quarantined` if a finding shows that the result cannot be
 * true, or that the measured system is unknown.
 */
export function statusOf(findings: readonly Finding[]): ResultStatus {
  if (findings.some(({ code }) => code === simulated.code)) return 'simulated';
  const held = findings.some(({ code, severity }) => severity === 'violation' || quarantining.has(code));
  return held ? 'quarantined' : 'accepted';
}
