import { describeFailures } from './failure-words.ts';
import type { CutReason, MeasuredPoint } from './measure-point.ts';

/** An example of a usage that was refused. */
function oddUsageOf({ requests }: MeasuredPoint['record']): string {
  const odd = requests.find((request) => request.stated_tokens !== null && request.output_tokens === null);
  return (odd?.outcome_detail ?? '').replace(/: .*$/, '');
}

const cutWords: Record<CutReason, string> = {
  time_limit: 'the time limit ended the measurement',
  failures: 'too many consecutive failures ended the measurement',
  canceled: 'it was canceled',
  stopped: 'its worker was stopped',
};

/** Now and then a network joins two. */
const togetherShareMin = 0.02;

const percent = (share: number) => `${Number((100 * share).toFixed(1))} %`;

/** Notes on the figures of a point: what differed from the request, and what limits their exactness. */
export function doubtsOf({
  summary,
  record,
  length,
  cut,
  notes,
}: Pick<MeasuredPoint, 'summary' | 'record' | 'length' | 'cut' | 'notes'>): string[] {
  const { shortfall, stalls, cache, arrival, chunks_per_token: chunks, lost, by_outcome } = summary;
  const kinds = Object.entries(by_outcome).filter(([outcome, count]) => outcome !== 'ok' && count > 0);
  const doubts = [
    cut !== null && `${cutWords[cut.reason]} after ${cut.ended} of ${cut.planned} requests: the point is partial`,
    summary.by_outcome.ok === 0 && describeFailures(record),
    record.simulated &&
      'the server reports that its responses are simulated: no model was measured, and the result never ranks',
    kinds.length > 0 &&
      `${lost.requests + by_outcome.dropped} of ${summary.requests} requests are not ok (${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}); they are excluded from latencies`,
    summary.retried > 0 &&
      `${summary.retried} of ${summary.requests} requests were sent twice, because the server had closed the connection; TTFT includes that time`,
    length !== null &&
      length.offBy !== 0 &&
      `prompts have ${length.inputTokens + length.offBy} tokens instead of the requested ${length.inputTokens}`,
    shortfall !== null && shortfall.share > 0 && `responses are ${percent(shortfall.share)} shorter than requested`,
    summary.odd_usage.refused > 0 &&
      `the usage of ${summary.odd_usage.refused} responses is impossible (${oddUsageOf(record)}): their chunks are counted as tokens`,
    summary.odd_usage.fewer > 0 &&
      `the usage of ${summary.odd_usage.fewer} responses states fewer tokens than they had chunks, and is used`,
    summary.odd_usage.refused === 0 &&
      summary.token_source === 'chunks' &&
      'the server does not count tokens: chunks are counted as tokens',
    summary.odd_usage.refused === 0 &&
      summary.token_source === 'mixed' &&
      'some responses state no number of tokens: their chunks are counted as tokens',
    chunks !== null &&
      Math.abs(chunks - 1) > 0.02 &&
      `a token is ${chunks.toFixed(2)} chunks: ITL is the gap between chunks`,
    record.self.coalesced_share - record.self.late_share > togetherShareMin &&
      `in ${percent(record.self.coalesced_share - record.self.late_share)} of reads the server sent several chunks together: the gaps between them are 0`,
    stalls !== null && stalls.gaps > 0 && `${stalls.gaps} gaps are longer than ${stalls.factor} medians`,
    cache?.is_suspected && `the server took ${percent(cache.share)} of the prompts from its cache`,
    arrival !== null &&
      !arrival.is_held &&
      `arrivals were late by ${arrival.lateness_ms_p99.toFixed(2)} ms at p99, ${arrival.dropped} dropped`,
    record.self.client_limited && `the load generator was at its limit: ${record.self.reasons.join('; ')}`,
  ].filter((doubt) => typeof doubt === 'string');
  return [...notes, ...doubts];
}
