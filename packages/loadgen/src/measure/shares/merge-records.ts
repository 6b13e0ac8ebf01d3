import type { LoadRecord, RequestRecord, SelfCheck } from '../records/load-record.ts';
import { percentilesOf, pooledGaps, positiveMedian } from '../records/percentiles.ts';

/** What one of several processes recorded, and the index in the whole plan of each of its requests. */
export interface RecordedShare {
  record: LoadRecord;
  rows: readonly number[];
}

/** Requests of a share with their index in the whole plan. */
export const inPlan = (requests: readonly RequestRecord[], rows: readonly number[]): RequestRecord[] =>
  requests.map((request) => ({ ...request, index: rows[request.index] ?? request.index }));

/** As many as the native format has. */
const reasonsMax = 10;

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const worstOf = (values: readonly number[]) => Math.max(0, ...values);

function sumOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : sumOf(known);
}

function worstOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : worstOf(known);
}

/** The worst of the processes, or their sum: see `SelfCheck`. */
function mergeSelf(parts: readonly SelfCheck[], requests: readonly RequestRecord[]): SelfCheck {
  const all = <Name extends keyof SelfCheck>(name: Name) => parts.map((part) => part[name]);
  const longest = parts.toSorted((a, b) => b.batch_ms_max - a.batch_ms_max)[0];
  const gaps = pooledGaps(requests.filter(({ outcome }) => outcome === 'ok').map(({ chunks_ms }) => chunks_ms));
  const [median = null] = percentilesOf(gaps, [50]) ?? [];
  return {
    threads: sumOf(all('threads')),
    loop_utilisation: worstOf(all('loop_utilisation')),
    cpu_s: sumOf(all('cpu_s')),
    scheduler_wait_ms: sumOrNull(all('scheduler_wait_ms')),
    batch_ms_max: longest?.batch_ms_max ?? 0,
    batch_events_max: longest?.batch_events_max ?? 0,
    batch_ms_p99: worstOf(all('batch_ms_p99')),
    coalesced_share: worstOf(all('coalesced_share')),
    late_share: worstOf(all('late_share')),
    send_lag_ms_p50: worstOrNull(all('send_lag_ms_p50')),
    send_lag_ms_p99: worstOrNull(all('send_lag_ms_p99')),
    send_lag_ms_max: worstOrNull(all('send_lag_ms_max')),
    gc_ms: sumOf(all('gc_ms')),
    connections_opened: sumOf(all('connections_opened')),
    itl_ms_p50: median,
    read_gap_ms_p50: median === null ? null : positiveMedian(gaps),
    client_limited: parts.some(({ client_limited }) => client_limited),
    reasons: [...new Set(parts.flatMap(({ reasons }) => reasons))].slice(0, reasonsMax),
  };
}

/**
 * Joins what the processes of one plan recorded, as one record in the order of the plan. All times count from the common start.
 *
 * @param parts at least one; the first is that of this machine
 */
export function mergeRecords(parts: readonly [RecordedShare, ...RecordedShare[]]): LoadRecord {
  const records = parts.map(({ record }) => record);
  const requests = parts.flatMap(({ record, rows }) => inPlan(record.requests, rows)).sort((a, b) => a.index - b.index);
  const [{ record: own }] = parts;
  return {
    requests,
    self: mergeSelf(
      records.map(({ self }) => self),
      requests,
    ),
    ...(records.some(({ documents }) => documents) && { documents: true as const }),
    simulated: records.some(({ simulated }) => simulated),
    given_up: records.some(({ given_up }) => given_up),
    started_at_unix_ms: own.started_at_unix_ms,
    started_at_monotonic_ms: own.started_at_monotonic_ms,
    duration_ms: worstOf(records.map(({ duration_ms }) => duration_ms)),
  };
}
