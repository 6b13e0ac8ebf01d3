import type { LoadRecord, RequestRecord } from '../measure/records/load-record.ts';

/** Of the server's own words at most. */
const wordsMax = 100;

/** The server's message on one line, without the words of the status, which are shown separately. */
export function quoteServer(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > wordsMax ? `${line.slice(0, wordsMax)}…` : line;
}

const isFailure = ({ outcome }: RequestRecord) => outcome !== 'ok' && outcome !== 'cancelled' && outcome !== 'dropped';

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
  const { status, outcome, outcome_detail } = first;
  const isRefused = outcome.startsWith('http_');
  const how = isRefused ? `got status ${status}` : `ended as ${outcome}`;
  const said = (outcome_detail ?? '').replace(/^status \d+(: )?/, '');
  const words = said === '' ? '' : isRefused ? `: "${quoteServer(said)}"` : ` (${quoteServer(said)})`;
  return `${most.length} of ${requests.length} requests ${how}${words}`;
}
