import type { LoadRecord, RequestRecord } from '../measure/records/load-record.ts';

/** Of the server's own words at most. */
const wordsMax = 100;

/** The server's message on one line, without the words of the status, which are shown separately. */
export function quoteServer(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > wordsMax ? `${line.slice(0, wordsMax)}…` : line;
}

const isFailure = ({ outcome }: RequestRecord) => outcome !== 'ok' && outcome !== 'cancelled' && outcome !== 'dropped';

const isRefused = ({ outcome }: RequestRecord) => outcome.startsWith('http_');

/** How a request failed: `status 503: "overloaded"`, or `disconnected (ECONNRESET)`. */
function failureOf(request: RequestRecord): string {
  const { status, outcome, outcome_detail } = request;
  const said = quoteServer((outcome_detail ?? '').replace(/^status \d+(: )?/, ''));
  if (isRefused(request)) return said === '' ? `status ${status}` : `status ${status}: "${said}"`;
  return said === '' ? outcome : `${outcome} (${said})`;
}

/** How the requests of a record failed, by the most frequent way: its count, its status and the server's own words. */
export function describeFailures({ requests }: LoadRecord): string | null {
  const ways = new Map<string, RequestRecord[]>();
  for (const request of requests.filter(isFailure)) {
    const way = `${request.outcome} ${request.status}`;
    ways.set(way, [...(ways.get(way) ?? []), request]);
  }
  const [most] = [...ways.values()].sort((a, b) => b.length - a.length);
  const first = most?.find(({ outcome_detail }) => outcome_detail !== null) ?? most?.[0];
  if (most === undefined || first === undefined) return null;
  const verb = isRefused(first) ? 'got' : 'ended as';
  return `${most.length} of ${requests.length} requests ${verb} ${failureOf(first)}`;
}

function findLastFailure({ requests }: LoadRecord): RequestRecord | null {
  const failed = requests.filter(isFailure);
  const [first] = failed;
  if (first === undefined) return null;
  return failed.reduce((last, request) => (request.closed_ms >= last.closed_ms ? request : last), first);
}

/** How the last request that failed ended; null if none failed. */
export function lastFailure(record: LoadRecord): string | null {
  const last = findLastFailure(record);
  return last === null ? null : failureOf(last);
}

function fixOf({ status, outcome }: RequestRecord): string {
  if (status === 401 || status === 403) return 'Check the key of the server.';
  if (status === 429) return 'The server limits the rate of requests: raise its limit, or measure lower loads.';
  if (outcome === 'timeout' || outcome === 'stalled') return 'The server is too slow: measure lower loads.';
  return 'The log of the server has the reason.';
}

/** The same in sentences, with what to do; empty if none failed. */
export function lastFailureWithFix(record: LoadRecord): string {
  const last = findLastFailure(record);
  return last === null ? '' : `Last failure: ${failureOf(last)}. ${fixOf(last)}`;
}
