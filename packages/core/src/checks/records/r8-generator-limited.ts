import { type Check, type Doubt, figure } from '../check.ts';

const lateMsMax = 5;

/** Reports delays of an open loop that change its load. */
function lateness(late: unknown, dropped: unknown): Doubt[] {
  const findings: Doubt[] = [];
  if (typeof late === 'number' && late > lateMsMax)
    findings.push({
      severity: 'warning',
      message: `Requests were sent up to ${figure(late)} ms (p99) later than due: the arrivals differ from the requested ones.`,
      evidence: { late_ms_p99: late, bound: lateMsMax },
    });
  if (typeof dropped === 'number' && dropped > 0)
    findings.push({
      severity: 'warning',
      message: `${figure(dropped)} requests were due but never sent: the load was lower than stated.`,
      evidence: { dropped },
    });
  return findings;
}

export const r8GeneratorLimited: Check = {
  id: 'R8',
  code: 'generator_limited',
  title: 'The load generator kept up',
  rule:
    'A load generator that reports that it was at its limit, sent requests of an open loop more than 5 ms (p99) late, or dropped some, ' +
    'gives a warning: the figures may measure the generator. Only tools that report this are checked.',
  check({ result: { extra } }) {
    const { generator_limited: limited, generator_late_ms_p99: late, generator_dropped: dropped } = extra;
    if (limited === undefined && late === undefined && dropped === undefined) return 'not_applicable';
    const findings = lateness(late, dropped);
    if (typeof limited === 'string' && limited !== '')
      findings.push({
        severity: 'warning',
        message: `The load generator was at its limit, so latencies may be caused by it and not by the system: ${limited}`,
        evidence: {},
      });
    return findings.length === 0 ? 'pass' : findings;
  },
};
