import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { ReaderNote } from '../adapter.ts';
import { addFaults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { toFamily, vllmKey } from './keys.ts';
import { dropZeroFamilies } from './serving.ts';

/** The figures of one result object. */
export interface RecordFigures {
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
  notes: ReaderNote[];
  /** Keys that are not figures. */
  rest: string[];
}

const wholes = new Set<string>(['completed', 'failed', 'num_prompts']);
/** The median is written twice if p50 was requested, and may differ in its last digit. */
const rounding = 1e-9;

function isWrong(key: string, value: number): boolean {
  return value < 0 || (wholes.has(key) && !Number.isSafeInteger(value));
}

/** A number by its key; undefined if it is missing. Adds an error for a value that the tool cannot have written. */
export function numberAt(fields: JsonObject, key: string, line: number, faults: Fault[]): number | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (!isWrong(key, value)) return value;
  addFaults(faults, [invalid(key, line)]);
  return undefined;
}

function invalid(key: string, line: number): Fault {
  const wanted = wholes.has(key) ? 'a whole number, 0 or more' : 'a number that is not negative, or null';
  const pointer = `/${key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { code: 'value_invalid', line, pointer, message: `${pointer} must be ${wanted}.` };
}

/** A latency without its unit, as InferenceX's copies write them. */
const inSeconds = /^(?:mean|median|std|p\d{1,2}(?:\.\d{1,2})?)_(?:ttft|tpot|itl|e2el)$/;

/**
 * The record with its latencies in milliseconds. A copy of the client that also counts `good_completed` writes seconds, under keys
 * without a unit.
 */
export function inMilliseconds(fields: JsonObject): JsonObject {
  if (!Object.hasOwn(fields, 'good_completed')) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) =>
      inSeconds.test(key) ? [`${key}_ms`, typeof value === 'number' ? shiftDecimal(value, 3) : value] : [key, value],
    ),
  );
}

/** `--metadata` may overwrite any key with text. Only that figure is lost. */
function overwritten(key: string, value: JsonValue): ReaderNote | null {
  if (typeof value !== 'string') return null;
  const message = `${key} is text instead of a number and is omitted.`;
  return { code: 'field_unreadable', severity: 'warning', message, evidence: { field: key } };
}

/** If an endpoint sends its response in one piece, the first token arrives with the last and TTFT was not measured. */
function dropUnstreamed(figures: RecordFigures): void {
  const { metrics, notes } = figures;
  const first = metrics.get('ttft_ms_mean');
  const answers = metrics.get('requests_ok') ?? Number.POSITIVE_INFINITY;
  const hasGaps = metrics.has('itl_ms_mean') || metrics.has('tpot_ms_mean');
  if (first === undefined || hasGaps || first !== metrics.get('e2e_ms_mean')) return;
  // Responses of one token have no gaps either.
  if (!((metrics.get('output_tokens') ?? 0) > answers)) return;
  for (const name of [...metrics.keys()]) if (name.startsWith('ttft_ms_')) metrics.delete(name);
  const message = 'TTFT equals the full latency and there are no gaps: nothing was streamed, so TTFT was not measured.';
  notes.push({ code: 'not_streamed', severity: 'info', message, evidence: { ttft_ms_mean: first } });
}

/**
 * Reads the figures of a result object by their keys. NaN, infinities and null are missing. Errors, each with its key, are
 * added to `faults`.
 */
export function readFigures(fields: JsonObject, line: number, faults: Fault[]): RecordFigures {
  const figures: RecordFigures = { metrics: new Map(), extra: {}, notes: [], rest: [] };
  const families = new Map<MetricName, string>();
  for (const [key, value] of Object.entries(fields)) {
    const meaning = vllmKey(key);
    if (meaning.kind !== 'metric' && meaning.kind !== 'extra') {
      figures.rest.push(key);
      continue;
    }
    if (value === null) continue;
    const note = overwritten(key, value);
    if (note !== null) {
      figures.notes.push(note);
    } else if (typeof value !== 'number' || value < 0 || (Number.isFinite(value) && isWrong(key, value))) {
      addFaults(faults, [invalid(key, line)]);
    } else if (!Number.isFinite(value)) {
      // Missing.
    } else if (meaning.kind === 'extra') {
      figures.extra[meaning.name] = value + 0;
    } else {
      const before = figures.metrics.get(meaning.name);
      if (before !== undefined && Math.abs(before - value) > rounding * Math.max(before, value)) {
        const message = `${key} is ${value}, but the same figure is given as ${before} under another name.`;
        addFaults(faults, [{ code: 'value_repeated', line, pointer: `/${key}`, message }]);
      }
      if (before === undefined) figures.metrics.set(meaning.name, value + 0);
      const family = toFamily(meaning.name);
      if (family !== null) families.set(meaning.name, family);
    }
  }
  // A request rate of 0 was not measured.
  if (figures.metrics.get('req_s') === 0) figures.metrics.delete('req_s');
  figures.notes.push(...dropZeroFamilies(figures.metrics, families));
  dropUnstreamed(figures);
  return figures;
}
