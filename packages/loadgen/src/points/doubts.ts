import type { SharedBy } from '../measure/records/load-record.ts';
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
  stopped: 'its process was stopped',
};

/** Now and then a network joins two. */
const togetherShareMin = 0.02;

const percent = (share: number) => `${Number((100 * share).toFixed(1))} %`;

function sharedWords({ wanted, count, clock_error_ms, shortage }: SharedBy): string {
  const workers = count === wanted ? `${count} workers` : `${count} of ${wanted} workers`;
  const why = shortage === null ? '' : `, ${shortage}`;
  const clocks = clock_error_ms === null ? '' : `; their clocks differ by at most ${clock_error_ms.toFixed(2)} ms`;
  return `${workers} ${count === 1 ? 'sent' : 'shared'} the requests${why}${clocks}`;
}

/** Most requests in flight at once. */
function mostInFlight({ requests }: MeasuredPoint['record']): number {
  const changes = requests.flatMap(({ started_ms, closed_ms }) => [
    { at: started_ms, by: 1 },
    { at: closed_ms, by: -1 },
  ]);
  let [now, most] = [0, 0];
  for (const { by } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** How the server's closing of connections adds to TTFT; null if it does not. */
function closedWords({ summary: { retried, requests, by_outcome }, record }: Remarked): string | null {
  // A request without a response has no TTFT.
  if (by_outcome.ok === 0) return null;
  const { connections_opened: opened } = record.self;
  const isNoneReused = !record.requests.some(({ reused_connection }) => reused_connection);
  if (isNoneReused && retried > 1)
    return `the server closes each connection after its response: ${opened} were opened for ${requests} requests, and ${retried} requests were sent twice; TTFT includes that time`;
  if (isNoneReused && retried === 0 && opened >= requests && requests > mostInFlight(record))
    return `the server keeps no connection open after a response: ${opened} were opened for ${requests} requests; TTFT includes the time to open those that were not open at the start`;
  return retried > 0
    ? `${retried} of ${requests} requests were sent twice, because the server had closed the connection; TTFT includes that time`
    : null;
}

type Remarked = Pick<MeasuredPoint, 'summary' | 'record' | 'length' | 'notes' | 'traffic'>;

/** Compares the lengths of prompts that the server counted with the requested ones; null if none differs. */
function lengthsWords({ record, traffic }: Remarked): string | null {
  const known = record.requests.flatMap(({ index, prompt_tokens: sent }) => {
    const requested = traffic?.requestedTokens[index] ?? null;
    return sent === null || requested === null ? [] : [{ sent, requested }];
  });
  const differing = known.filter(({ sent, requested }) => sent !== requested);
  const [first] = differing;
  if (first === undefined) return null;
  const isOne = differing.every(({ sent, requested }) => sent === first.sent && requested === first.requested);
  if (isOne && differing.length === known.length)
    return `prompts have ${first.sent} tokens instead of the requested ${first.requested}`;
  const most = differing.reduce((a, b) => (Math.abs(b.sent - b.requested) > Math.abs(a.sent - a.requested) ? b : a));
  return `${differing.length} of ${known.length} prompts have other lengths than requested, such as ${most.sent} tokens instead of ${most.requested}`;
}

const isText = (text: unknown) => typeof text === 'string';

/**
 * Notes on a point for its report: what differed from the request, and how tokens were counted. They exclude what readers
 * see from the other fields of the report.
 */
export function remarksOf(point: Remarked): string[] {
  const { summary, record, length, notes } = point;
  const { stalls, chunks_per_token: chunks, odd_usage: odd, token_source: source } = summary;
  const together = record.self.coalesced_share - record.self.late_share;
  const remarks = [
    lengthsWords(point),
    length !== null &&
      length.offBy !== 0 &&
      `prompts have ${length.inputTokens + length.offBy} tokens instead of the requested ${length.inputTokens}`,
    odd.refused > 0 &&
      `the usage of ${odd.refused} responses is impossible (${oddUsageOf(record)}): their chunks are counted as tokens`,
    odd.fewer > 0 && `the usage of ${odd.fewer} responses states fewer tokens than they had chunks, and is used`,
    odd.refused === 0 && source === 'chunks' && 'the server does not count tokens: chunks are counted as tokens',
    odd.refused === 0 &&
      source === 'mixed' &&
      'some responses state no number of tokens: their chunks are counted as tokens',
    chunks !== null &&
      Math.abs(chunks - 1) > 0.02 &&
      `a token is ${chunks.toFixed(2)} chunks: ITL is the gap between chunks`,
    together > togetherShareMin &&
      `in ${percent(together)} of reads the server sent several chunks together: the gaps between them are 0`,
    stalls !== null && stalls.gaps > 0 && `gaps longer than ${stalls.factor} medians: ${stalls.gaps}`,
  ].filter(isText);
  return [...notes, ...remarks];
}

/** All notes on a point: those of its report, and how its figures are limited. */
export function doubtsOf(point: Remarked & Pick<MeasuredPoint, 'cut'>): string[] {
  const { summary, record, cut } = point;
  const { shortfall, cache, arrival, lost, by_outcome } = summary;
  // The end of a partial point cancels the requests in flight: they did not fail.
  const cancelled = cut === null ? 0 : by_outcome.cancelled;
  const kinds = Object.entries(by_outcome).filter(
    ([outcome, count]) => outcome !== 'ok' && count > 0 && (cancelled === 0 || outcome !== 'cancelled'),
  );
  const doubts = [
    record.workers !== undefined && sharedWords(record.workers),
    cut !== null && `${cutWords[cut.reason]} after ${cut.ended} of ${cut.planned} requests: the point is partial`,
    describeFailures(record),
    record.simulated &&
      'the server reports that its responses are simulated: no model was measured, and the result never ranks',
    kinds.length > 0 &&
      `${lost.requests + by_outcome.dropped - cancelled} of ${summary.requests} requests are not ok (${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')}); they are excluded from latencies`,
    closedWords(point),
    shortfall !== null && shortfall.share > 0 && `responses are ${percent(shortfall.share)} shorter than requested`,
    cache?.is_suspected && `the server took ${percent(cache.share)} of the prompts from its cache`,
    arrival !== null &&
      !arrival.is_held &&
      `arrivals were late by ${arrival.lateness_ms_p99.toFixed(2)} ms at p99, ${arrival.dropped} dropped`,
    record.self.client_limited && `the load generator was at its limit: ${record.self.reasons.join('; ')}`,
  ].filter(isText);
  return [...remarksOf(point), ...doubts];
}
