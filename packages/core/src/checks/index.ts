import type { ResultStatus } from '../result.ts';
import type { Subject } from '../subject.ts';
import { a2RequestRate } from './a2-request-rate.ts';
import { a3TokenRate } from './a3-token-rate.ts';
import { a4PercentileOrder } from './a4-percentile-order.ts';
import { a5MeanWithinRange } from './a5-mean-within-range.ts';
import { a15TtftWithinE2e } from './a15-ttft-within-e2e.ts';
import type { Check, Finding } from './check.ts';
import { knownGpu, knownModel } from './known-facts.ts';
import { p0BitsPerWeight } from './p0-bits-per-weight.ts';
import { p1MemoryFit } from './p1-memory-fit.ts';

/** The registry, in the order findings are shown: facts (F), arithmetic (A), physics (P), records (R). */
export const checks: readonly Check[] = [
  knownGpu,
  knownModel,
  a2RequestRate,
  a3TokenRate,
  a4PercentileOrder,
  a5MeanWithinRange,
  a15TtftWithinE2e,
  p0BitsPerWeight,
  p1MemoryFit,
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

const quarantining = new Set([knownGpu.code, knownModel.code]);

/** `quarantined` if a finding says that the result cannot be true, or that nobody can tell what was measured. */
export function statusOf(findings: readonly Finding[]): ResultStatus {
  const held = findings.some(({ code, severity }) => severity === 'violation' || quarantining.has(code));
  return held ? 'quarantined' : 'accepted';
}
