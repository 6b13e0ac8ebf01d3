import { nothingRecorded, type RequestRecord } from '../../records.ts';
import { toPlainText } from '../plain-facts.ts';
import type { Report } from './metrics.ts';

type Path = readonly PropertyKey[];

/** Remaining number of requests and gaps that one artifact may contain. */
export interface RecordBudget {
  requests: number;
  gaps: number;
}

export const createRecordBudget = (): RecordBudget => ({ requests: 200_000, gaps: 2_000_000 });

/** Upper limit: eleven days in ms, or as many tokens. Sums of such values stay exact. */
const most = 1e9;
/** Lower limit: a thousandth of a picosecond in ms. Quotients with such values stay finite. */
const least = 1e-12;
/** Upper limit of seconds since 1970, large enough for a value in milliseconds. */
const mostSeconds = 1e13;
const errorLengthMax = 200;

interface NumberField {
  field: 'sentS' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'maxTokens' | 'ttftMs' | 'e2eMs';
  wanted: string;
  isValid(value: number): boolean;
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0 && value <= most;
const count = { wanted: 'a whole number, 0 or more and at most a billion', isValid: isCount };
const time = { wanted: 'above 0 and at most a billion', isValid: (value: number) => value >= least && value <= most };

const numberFields = new Map<string, NumberField>([
  [
    'sent_s',
    { field: 'sentS', wanted: 'a time in seconds', isValid: (value: number) => Math.abs(value) <= mostSeconds },
  ],
  ['input_tokens', { field: 'inputTokens', ...count }],
  ['cached_tokens', { field: 'cachedTokens', ...count }],
  ['output_tokens', { field: 'outputTokens', ...count }],
  ['max_tokens', { field: 'maxTokens', ...count }],
  ['ttft_ms', { field: 'ttftMs', ...time }],
  ['e2e_ms', { field: 'e2eMs', ...time }],
]);
interface LabelField {
  wanted: string;
  isValid(value: unknown): boolean;
}

const ordinal: LabelField = { wanted: count.wanted, isValid: (value) => typeof value === 'number' && isCount(value) };
const label: LabelField = {
  wanted: `a text of at most ${errorLengthMax} characters`,
  isValid: (value) => typeof value === 'string' && value.length <= errorLengthMax,
};

/** Labels of a request. They are stored with the artifact and shown to readers. */
const labelFields: ReadonlyMap<string, LabelField> = new Map([
  ['conversation', ordinal],
  ['turn', ordinal],
  ['workload', label],
  ['model', label],
]);
const fieldNames = [...numberFields.keys(), ...labelFields.keys(), 'itl_ms', 'error'];

const isMissing = (value: unknown) =>
  value === null || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;

const isGap = (value: unknown): value is number =>
  typeof value === 'number' && (value === 0 || value >= least) && value <= most;

/** The gaps of one request, unchanged and not copied: there may be millions. */
function readGaps(value: unknown, path: Path, report: Report, budget: RecordBudget): readonly number[] | null {
  if (!Array.isArray(value)) {
    report(
      path,
      'value_invalid',
      'itl_ms must be the list of gaps between chunks.',
      'Use null for values that were not measured.',
    );
    return null;
  }
  const gaps: readonly unknown[] = value;
  budget.gaps -= gaps.length;
  if (gaps.every(isGap)) return gaps;
  // Report one error per list.
  const index = gaps.findIndex((gap) => !isGap(gap));
  const message = 'A gap must be a number of milliseconds, 0 or more and at most a billion.';
  report([...path, index], 'value_invalid', message);
  return null;
}

/** The reason why a request failed. Tools write an empty text if it succeeded. */
function readError(value: unknown, path: Path, report: Report): string | null {
  if (typeof value === 'string') return toPlainText(value).slice(0, errorLengthMax).toWellFormed() || null;
  report(path, 'value_invalid', 'error must be a string, or null if the request succeeded.');
  return null;
}

function readRequest(value: object, at: Path, report: Report, budget: RecordBudget): RequestRecord {
  const record: { -readonly [K in keyof RequestRecord]: RequestRecord[K] } = { ...nothingRecorded };
  const hasFailed = 'error' in value && typeof value.error === 'string' && value.error !== '';
  for (const [key, given] of Object.entries(value) as [string, unknown][]) {
    const number = numberFields.get(key);
    const label = labelFields.get(key);
    if (label !== undefined) {
      if (given !== null && !label.isValid(given))
        report([...at, key], 'value_invalid', `${key} must be ${label.wanted}.`);
    } else if (number === undefined && key !== 'itl_ms' && key !== 'error') {
      const message = `Unknown field ${JSON.stringify(key.slice(0, 80))}.`;
      report([...at, key], 'field_unknown', message, report.nearest(key, fieldNames));
    } else if (isMissing(given)) continue;
    else if (number === undefined) {
      if (key === 'itl_ms') record.gapsMs = readGaps(given, [...at, key], report, budget);
      else record.error = readError(given, [...at, key], report);
    } else if (typeof given === 'number' && number.isValid(given)) record[number.field] = given;
    // A failed request has no latencies; tools write 0 for them.
    else if (!(hasFailed && given === 0)) {
      const message = `${key} must be ${number.wanted}.`;
      report([...at, key], 'value_invalid', message, 'Use null for values that were not measured.');
    }
  }
  return record;
}

/** True if a request of the list is a later turn of a conversation. */
export const hasSeveralTurns = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.some(
    (item) =>
      typeof item === 'object' && item !== null && 'turn' in item && typeof item.turn === 'number' && item.turn > 1,
  );

/**
 * Reads `requests`, one object per request, in one pass without a schema, which would take a second for a body of maximum
 * size. Null if there are none. `budget` is the remaining limit of the artifact.
 */
export function readRequests(value: unknown, at: Path, report: Report, budget: RecordBudget): RequestRecord[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) {
    report(at, 'value_invalid', 'requests must be a list with one object for each request.');
    return null;
  }
  budget.requests -= value.length;
  const records: RequestRecord[] = [];
  for (const [index, item] of value.entries()) {
    if (report.isFull()) return null;
    if (budget.requests < 0 || budget.gaps < 0) {
      const { requests, gaps } = createRecordBudget();
      const message = `The artifact has more than the maximum of ${requests} requests or ${gaps} gaps between chunks.`;
      report(at, 'requests_too_many', message, 'Send it in parts, or omit itl_ms.');
      return null;
    }
    if (typeof item === 'object' && item !== null && !Array.isArray(item))
      records.push(readRequest(item, [...at, index], report, budget));
    else report([...at, index], 'value_invalid', 'A request must be an object.');
  }
  return records.length === 0 ? null : records;
}
