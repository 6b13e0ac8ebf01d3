import type { ResultStatus } from '../result.ts';
import type { Subject } from '../subject.ts';
import { a1SaneFigures } from './a1-sane-figures.ts';
import { a2RequestRate } from './a2-request-rate.ts';
import { a3TokenRate } from './a3-token-rate.ts';
import { a4PercentileOrder } from './a4-percentile-order.ts';
import { a5MeanWithinRange } from './a5-mean-within-range.ts';
import { a6MedianNearMean } from './a6-median-near-mean.ts';
import { a7PercentileNearMean } from './a7-percentile-near-mean.ts';
import { a8RequestAddsUp } from './a8-request-adds-up.ts';
import { a9GapsAddUp } from './a9-gaps-add-up.ts';
import { a10StepsAddUp } from './a10-steps-add-up.ts';
import { a11InFlight } from './a11-in-flight.ts';
import { a12LoadHeld } from './a12-load-held.ts';
import { a13OutputRate } from './a13-output-rate.ts';
import { a14DecodeRate } from './a14-decode-rate.ts';
import { a15TtftWithinE2e } from './a15-ttft-within-e2e.ts';
import { a16RequestsCounted } from './a16-requests-counted.ts';
import { a17LengthsAllowed } from './a17-lengths-allowed.ts';
import { a18Variance } from './a18-variance.ts';
import { a19LongEnough } from './a19-long-enough.ts';
import { a20TotalHoldsParts } from './a20-total-holds-parts.ts';
import { a21GapsAreTokens } from './a21-gaps-are-tokens.ts';
import { type Check, type Finding, unchecked } from './check.ts';
import { knownEngine, knownGpu, knownModel } from './known-facts.ts';
import { p0BitsPerWeight } from './p0-bits-per-weight.ts';
import { p1MemoryFit } from './p1-memory-fit.ts';
import { p2UserSpeed } from './p2-user-speed.ts';
import { p3SystemSpeed } from './p3-system-speed.ts';
import { p4ComputeBudget } from './p4-compute-budget.ts';
import { p5PrefillFloor } from './p5-prefill-floor.ts';
import { p6Power } from './p6-power.ts';
import { p7Scaling } from './p7-scaling.ts';
import { p8PowerLimit } from './p8-power-limit.ts';
import { p9DraftTokens } from './p9-draft-tokens.ts';
import { r1RecordsContradict } from './r1-records-contradict.ts';
import { r2OutputShortfall } from './r2-output-shortfall.ts';
import { r3PrefixCache } from './r3-prefix-cache.ts';
import { r4ErrorRate } from './r4-error-rate.ts';
import { r5Saturated } from './r5-saturated.ts';
import { r6RecordIdentity } from './r6-record-identity.ts';
import { r7RepeatedRecords } from './r7-repeated-records.ts';
import { r8GeneratorLimited } from './r8-generator-limited.ts';
import { r9CutShort } from './r9-cut-short.ts';
import { simulated } from './simulated.ts';

/** The registry, in the order findings are shown: facts (F), arithmetic (A), physics (P), records (R). */
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
  r1RecordsContradict,
  r2OutputShortfall,
  r3PrefixCache,
  r4ErrorRate,
  r5Saturated,
  r6RecordIdentity,
  r7RepeatedRecords,
  r8GeneratorLimited,
  r9CutShort,
];

/** Everything the checks have to say about one result. */
export interface Judgement {
  /** In registry order; what could not be checked is among them. */
  findings: Finding[];
  /** Ids of the checks that ran and had no doubt. */
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

/** What a check could not judge, told again from its id and what it lacked: a store need not keep the sentence. */
export function tellUnchecked(checkId: string, missing: readonly string[]): Finding[] {
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
 * `simulated` if no model was measured, which no review changes; `quarantined` if a finding says that the result cannot be
 * true, or that nobody can tell what was measured.
 */
export function statusOf(findings: readonly Finding[]): ResultStatus {
  if (findings.some(({ code }) => code === simulated.code)) return 'simulated';
  const held = findings.some(({ code, severity }) => severity === 'violation' || quarantining.has(code));
  return held ? 'quarantined' : 'accepted';
}
