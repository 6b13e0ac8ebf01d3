import { gapsOf, succeeded } from '../../records/measure.ts';
import type { RequestRecord } from '../../records.ts';
import { type Check, figure } from '../check.ts';

const requestsLeast = 20;
const shareMost = 0.1;
/** Minimum total digits of a request's latencies; fewer repeat by chance. */
const digitsLeast = 10;

const digits = (value: number | undefined) => (value === undefined ? 0 : String(value).replace(/e.*|\D/g, '').length);

/** A key that two requests share only if one is a copy; null if the clock is too coarse. */
function fingerprint(request: RequestRecord): string | null {
  const { ttftMs, e2eMs, inputTokens, outputTokens } = request;
  const gaps = gapsOf(request) ?? [];
  const digitCount = digits(ttftMs ?? undefined) + digits(e2eMs ?? undefined) + digits(gaps[0]) + digits(gaps.at(-1));
  if (digitCount < digitsLeast) return null;
  const sum = gaps.reduce((total, gap) => total + gap, 0);
  return `${ttftMs} ${e2eMs} ${inputTokens} ${outputTokens} ${gaps.length} ${gaps[0]} ${sum}`;
}

export const r7RepeatedRecords: Check = {
  id: 'R7',
  code: 'repeated_records',
  title: 'No request equals another in every digit',
  rule:
    'Of 20 successful requests or more, at most 10 % may equal an earlier one in TTFT, end-to-end latency, tokens and gaps. Needs latencies with ten digits in total; coarser ones repeat by chance and are not checked. ' +
    'More is a warning: records were copied, not measured.',
  check({ result: { records } }) {
    if (records === null) return 'not_applicable';
    const seen = new Map<string, number>();
    let judged = 0;
    let repeated = 0;
    for (const request of succeeded(records.requests)) {
      const key = fingerprint(request);
      if (key === null) continue;
      judged++;
      const before = seen.get(key) ?? 0;
      if (before > 0) repeated++;
      seen.set(key, before + 1);
    }
    if (judged < requestsLeast) return 'not_applicable';
    if (repeated <= shareMost * judged) return 'pass';
    return [
      {
        severity: 'warning',
        message: `${repeated} of ${judged} requests equal another in every digit (${figure((repeated / judged) * 100)} %): independent requests never take exactly the same time.`,
        evidence: { repeated, requests: judged, ratio: repeated / judged },
      },
    ];
  },
};
