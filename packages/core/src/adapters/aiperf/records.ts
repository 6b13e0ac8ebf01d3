import type { Fault } from '../../errors.ts';
import type { RequestRecord } from '../../records.ts';
import { type Adapter, noRemarks, noResult, type ParsedResult, type Reading } from '../adapter.ts';
import { ArtifactError, maxFaults, unreadable } from '../errors.ts';
import { createRecordBudget } from '../native/requests.ts';
import { noteIgnored } from '../plain-facts.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import {
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { inside } from './result.ts';

const id = 'aiperf-records';

const isValue = (value: JsonValue) => isObject(value) && Object.hasOwn(value, 'value') && Object.hasOwn(value, 'unit');

const findLines = recordFinder((value) => {
  if (!isObject(value.metadata) || !Object.hasOwn(value.metadata, 'request_start_ns')) return null;
  if (!isObject(value.metrics)) return null;
  const values = Object.values(value.metrics);
  // A failed request may have no metrics.
  return values.some(isValue) ? 'whole' : values.length === 0 ? 'likely' : null;
});

const used = new Set([
  'time_to_first_token',
  'request_latency',
  'inter_chunk_latency',
  'input_sequence_length',
  'output_sequence_length',
]);
const places: Record<string, number> = { ms: 0, s: 3, sec: 3, us: -3, ns: -6 };

/** A value of one request, converted by its unit; null if missing. `expected` describes valid values. */
function readValue(
  metrics: JsonObject,
  tag: string,
  expected: 'time' | 'count',
  line: number,
  faults: Fault[],
): number | null {
  const stated = inside(metrics, tag);
  const { value, unit } = stated;
  if (value === undefined || value === null || value === Number.POSITIVE_INFINITY) return null;
  const shift = typeof unit === 'string' && Object.hasOwn(places, unit) ? places[unit] : undefined;
  const isFine = typeof value === 'number' && value >= 0 && value <= 1e12;
  if (expected === 'count' && isFine && Number.isSafeInteger(value)) return value;
  if (expected === 'time' && isFine && shift !== undefined) return shiftDecimal(value, shift);
  const pointer = `/metrics/${tag}`;
  const wanted = expected === 'count' ? 'a whole number of tokens' : 'a time, 0 or more, with its unit';
  faults.push({ code: 'value_invalid', line, pointer, message: `${pointer} must be ${wanted}.` });
  return null;
}

/** The gaps between the chunks of one response in ms; null if missing. */
function readGaps(metrics: JsonObject, line: number, faults: Fault[]): number[] | null {
  const { value, unit } = inside(metrics, 'inter_chunk_latency');
  if (!Array.isArray(value)) return null;
  const shift = typeof unit === 'string' && Object.hasOwn(places, unit) ? places[unit] : undefined;
  const gaps = value.filter((gap): gap is number => typeof gap === 'number' && gap >= 0 && gap <= 1e12);
  if (shift !== undefined && gaps.length === value.length)
    return shift === 0 ? gaps : gaps.map((gap) => shiftDecimal(gap, shift));
  const pointer = '/metrics/inter_chunk_latency';
  faults.push({ code: 'value_invalid', line, pointer, message: `${pointer} must be a list of times with their unit.` });
  return null;
}

/** Nanoseconds since 1970, which have more digits than a double holds. */
function readInstant(metadata: JsonObject, key: string, line: number, faults: Fault[]): bigint | null {
  const value = metadata[key];
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  const pointer = `/metadata/${key}`;
  faults.push({ code: 'value_invalid', line, pointer, message: `${pointer} must be a count of nanoseconds.` });
  return null;
}

/** One request with its start and end time. */
interface Timed {
  record: Omit<RequestRecord, 'sentS'>;
  startNs: bigint | null;
  endNs: bigint | null;
}

/** The kind of a failure. Its message contains addresses. */
function toError(value: JsonObject, metadata: JsonObject): string | null {
  if (metadata.was_cancelled === true) return 'cancelled';
  if (value.error === undefined || value.error === null) return null;
  const type = isObject(value.error) ? value.error.type : null;
  return typeof type === 'string' && /^\w{1,80}$/.test(type) ? type : 'failed';
}

function readLine({ value, from: line }: JsonRecord, faults: Fault[]): Timed {
  const metadata = inside(value, 'metadata');
  const metrics = inside(value, 'metrics');
  const error = toError(value, metadata);
  const time = (tag: string) => readValue(metrics, tag, 'time', line, faults);
  const count = (tag: string) => readValue(metrics, tag, 'count', line, faults);
  const e2eMs = error === null ? time('request_latency') : null;
  return {
    startNs: readInstant(metadata, 'request_start_ns', line, faults),
    endNs: readInstant(metadata, 'request_end_ns', line, faults),
    record: {
      inputTokens: count('input_sequence_length'),
      cachedTokens: null,
      outputTokens: error === null ? count('output_sequence_length') : null,
      maxTokens: null,
      ttftMs: error === null ? time('time_to_first_token') : null,
      // A request with a duration of zero was not timed.
      e2eMs: e2eMs === 0 ? null : e2eMs,
      gapsMs: error === null ? readGaps(metrics, line, faults) : null,
      error,
    },
  };
}

const earliestNs = 10n ** 18n;
const latestNs = 4n * 10n ** 18n;

function toResult(timed: readonly Timed[], lines: ParsedResult['lines'], dropped: number): ParsedResult {
  const starts = timed.flatMap(({ startNs }) => (startNs === null ? [] : [startNs]));
  const ends = timed.flatMap(({ endNs }) => (endNs === null ? [] : [endNs]));
  const first = starts.reduce<bigint | null>((least, ns) => (least === null || ns < least ? ns : least), null);
  const last = ends.reduce<bigint | null>((most, ns) => (most === null || ns > most ? ns : most), null);
  const seconds = (ns: bigint) => shiftDecimal(Number(ns), -9);
  const requests = timed.map(
    ({ record, startNs }): RequestRecord => ({
      ...record,
      sentS: startNs === null || first === null ? null : seconds(startNs - first),
    }),
  );
  const failed = requests.filter(({ error }) => error !== null).length;
  const isWhole = starts.length === timed.length && ends.length === timed.length;
  const duration = isWhole && first !== null && last !== null && last > first ? seconds(last - first) : null;
  return {
    ...noResult,
    metrics: {
      requests_ok: requests.length - failed,
      requests_failed: failed,
      ...(duration === null ? {} : { duration_s: duration }),
    },
    requests,
    extra: dropped === 0 ? {} : { warmup_requests: dropped },
    notes: [
      {
        code: 'load_unknown',
        severity: 'warning',
        message: 'The file records the requests, but not the requested load.',
        evidence: {},
      },
      {
        code: 'requests_uncounted',
        severity: 'info',
        message: `The figures cover the ${requests.length} requests in the file. It does not state how many the run had, so a file that was cut between two lines looks like a shorter run.`,
        evidence: { requests: requests.length },
      },
    ],
    measuredAt:
      first !== null && first > earliestNs && first < latestNs
        ? new Date(Number(first / 1_000_000n)).toISOString()
        : null,
    lines,
  };
}

function readAll(records: readonly JsonRecord[], { from, to }: ParsedResult['lines']): Reading {
  const faults: Fault[] = [];
  const timed: Timed[] = [];
  const ignored = new Set<string>();
  const budget = createRecordBudget();
  let dropped = 0;
  for (const record of records) {
    if (faults.length >= maxFaults) break;
    const phase = inside(record.value, 'metadata').benchmark_phase;
    if (typeof phase === 'string' && phase !== 'profiling') {
      dropped++;
      continue;
    }
    const one = readLine(record, faults);
    timed.push(one);
    budget.requests--;
    budget.gaps -= one.record.gapsMs?.length ?? 0;
    if (budget.requests < 0 || budget.gaps < 0) {
      const { requests, gaps } = createRecordBudget();
      const message = `The artifact has more than the maximum of ${requests} requests or ${gaps} gaps between chunks.`;
      throw unreadable(record.from, 'requests_too_many', message, 'Send profile_export_aiperf.json instead.');
    }
    for (const tag of Object.keys(inside(record.value, 'metrics'))) if (!used.has(tag)) ignored.add(tag);
  }
  if (faults.length > 0) throw new ArtifactError(faults.slice(0, maxFaults));
  if (timed.every(({ record }) => record.error !== null)) {
    const reason =
      timed.length === 0 ? `All ${dropped} requests were warm-up requests` : `All ${timed.length} requests failed`;
    throw unreadable(from, 'nothing_measured', `${reason}: nothing was measured.`);
  }
  return {
    tool: { name: 'aiperf', version: null },
    results: [toResult(timed, { from, to }, dropped)],
    ignored: noteIgnored(ignored),
    ...noRemarks,
  };
}

/**
 * The requests of an AIPerf run, `profile_export.jsonl`, one per line. The figures are recomputed from them. Warm-up
 * requests are excluded. The file does not state the model or the load.
 *
 * Written by https://github.com/ai-dynamo/aiperf (`MetricRecordInfo`).
 */
export const aiperfRecords: Adapter = {
  id,
  title: 'aiperf (records of requests)',
  kind: 'serving',
  recognises: 'JSON lines with metrics, and metadata.request_start_ns',
  command: 'aiperf profile --model MODEL --streaming --export-level records (send profile_export.jsonl)',
  detect: (artifact) => toClaims(id, findLines(artifact)),
  read: (artifact, claim) => readAll(within(findLines(artifact), claim), { from: claim.from, to: claim.to }),
};
