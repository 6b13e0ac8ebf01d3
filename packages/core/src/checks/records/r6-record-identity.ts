import { gapsOf } from '../../records/measure.ts';
import type { RequestRecord } from '../../records.ts';
import { type Check, figure, roundingOf } from '../check.ts';

const title = 'The figures of each request are consistent';
const tolerance = 0.01;
const slackMs = 1;
/** A client may record a few of thousands of requests wrongly. A larger share is a measurement error. */
const shareMost = 0.01;

interface Contradiction {
  message: string;
  evidence: Record<string, number>;
}

const slackOf = (e2eMs: number) => Math.max(tolerance * e2eMs, slackMs);

/** Compares E2E with its parts. The rounding of the gaps adds up, so it is calculated only if it could matter. */
function checkParts({ ttftMs, e2eMs }: RequestRecord, gaps: readonly number[] | null): Contradiction | null {
  if (ttftMs === null || e2eMs === null) return null;
  if (ttftMs > e2eMs + slackOf(e2eMs)) {
    const message = `a TTFT of ${figure(ttftMs)} ms is above its end-to-end latency of ${figure(e2eMs)} ms`;
    return { message, evidence: { ttft_ms: ttftMs, e2e_ms: e2eMs } };
  }
  if (gaps === null) return null;
  const sum = gaps.reduce((total, gap) => total + gap, ttftMs);
  const off = Math.abs(sum - e2eMs) - slackOf(e2eMs);
  if (off <= 0 || off <= gaps.reduce((total, gap) => total + roundingOf(gap), roundingOf(ttftMs))) return null;
  const message = `a TTFT of ${figure(ttftMs)} ms and ${gaps.length} gaps add up to ${figure(sum)} ms, but the stated end-to-end latency is ${figure(e2eMs)} ms`;
  return { message, evidence: { ttft_ms: ttftMs, gaps_ms: sum - ttftMs, e2e_ms: e2eMs } };
}

/** Finds the contradiction in one request. Undefined if the request has no two figures to compare. */
function checkRequest(request: RequestRecord): Contradiction | null | undefined {
  const { ttftMs, e2eMs, inputTokens, cachedTokens, outputTokens, maxTokens } = request;
  const hasTokens = outputTokens !== null && maxTokens !== null;
  const hasCached = cachedTokens !== null && inputTokens !== null;
  if (hasTokens && outputTokens > maxTokens) {
    const message = `${figure(outputTokens)} output tokens are more than the ${figure(maxTokens)} that were allowed`;
    return { message, evidence: { output_tokens: outputTokens, max_tokens: maxTokens } };
  }
  if (hasCached && cachedTokens > inputTokens) {
    const message = `${figure(cachedTokens)} cached tokens are more than its ${figure(inputTokens)} input tokens`;
    return { message, evidence: { cached_tokens: cachedTokens, input_tokens: inputTokens } };
  }
  const hasTimes = ttftMs !== null && e2eMs !== null;
  return hasTimes || hasTokens || hasCached ? checkParts(request, gapsOf(request)) : undefined;
}

export const r6RecordIdentity: Check = {
  id: 'R6',
  code: 'record_contradicts_itself',
  title,
  rule:
    'For each successful request: ttft <= e2e; e2e = ttft + the sum of its gaps, within 1 % or 1 ms and the rounding of the gaps; output tokens <= max_tokens; cached tokens <= input tokens. Needs both sides of one of these. ' +
    'If more than 1 % of the requests differ it is a violation, otherwise a warning. The first one is named, counted from 0.',
  check({ result: { records } }) {
    if (records === null) return 'not_applicable';
    let judged = 0;
    let count = 0;
    let first: (Contradiction & { index: number }) | null = null;
    for (const [index, request] of records.requests.entries()) {
      const found = request.error === null ? checkRequest(request) : undefined;
      if (found === undefined) continue;
      judged++;
      if (found === null) continue;
      count++;
      first ??= { ...found, index };
    }
    if (judged === 0) return 'not_applicable';
    if (first === null) return 'pass';
    return [
      {
        severity: count > shareMost * judged ? 'violation' : 'warning',
        message: `Request ${first.index}: ${first.message}; ${count} of ${judged} requests ${count === 1 ? 'contradicts itself' : 'contradict themselves'}.`,
        evidence: {
          request: first.index,
          ...first.evidence,
          requests_off: count,
          requests: judged,
          ratio: count / judged,
        },
      },
    ];
  },
};
