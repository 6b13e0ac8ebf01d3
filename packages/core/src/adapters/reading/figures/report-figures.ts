import type { Fault } from '../../../errors.ts';
import type { MetricName } from '../../../metrics/index.ts';
import type { JsonValue } from '../documents/json.ts';
import { isObject } from '../documents/json-records.ts';
import { latencyName, type ValueName } from './latency-name.ts';
import { shiftDecimal } from './numbers.ts';

/** Figures of one result while its report is read. */
export interface ReportFigures {
  /** 1-based line of the report, for error messages. */
  line: number;
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
  /** Unused names. */
  ignored: Set<string>;
  faults: Fault[];
}

export function noFigures(line: number): ReportFigures {
  return { line, metrics: new Map(), extra: {}, ignored: new Set(), faults: [] };
}

/** Statistics without a metric that are stored as extras. Lower percentiles are not useful. */
const keptBeside = new Set(['p75', 'p99.9']);

const isFigure = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && value >= 0 && value !== Number.POSITIVE_INFINITY;

/**
 * A figure of a report. Null if it is missing: absent, null, NaN or infinite. Text and negative figures are errors.
 * `pointer` is its JSON pointer.
 */
export function readFigure(figures: ReportFigures, value: JsonValue | undefined, pointer: string): number | null {
  if (value === undefined || value === null || value === Number.POSITIVE_INFINITY) return null;
  // Python prints minus zero, which is zero.
  if (typeof value === 'number' && value >= 0) return value + 0;
  const message = `${pointer}: expected a number that is not negative, or null`;
  figures.faults.push({ code: 'value_invalid', line: figures.line, pointer, message });
  return null;
}

export function addMetric(
  figures: ReportFigures,
  name: MetricName,
  value: JsonValue | undefined,
  pointer: string,
): number | null {
  const figure = readFigure(figures, value, pointer);
  if (figure !== null) figures.metrics.set(name, figure);
  return figure;
}

/**
 * The statistics of one latency, `{mean, median, p99 ...}`, under their names in our registry. `words` translates the
 * report's names ("avg") to ours; `places` is 3 if the report uses seconds; `joint` is the separator between the pointer and
 * the name of a statistic. A latency whose mean or median is 0 was not measured. Returns true if the latency was measured.
 */
export function addLatency(
  figures: ReportFigures,
  family: 'ttft_ms' | 'tpot_ms' | 'itl_ms' | 'e2e_ms',
  statistics: JsonValue | undefined,
  at: { pointer: string; places: 0 | 3; words?: Readonly<Record<string, string>>; joint?: string },
): boolean {
  if (statistics === undefined || statistics === null) return false;
  if (!isObject(statistics)) {
    const message = `${at.pointer}: expected an object of statistics, or null`;
    figures.faults.push({ code: 'value_invalid', line: figures.line, pointer: at.pointer, message });
    return false;
  }
  const found: { word: string; value: number; name: ValueName }[] = [];
  for (const [key, stated] of Object.entries(statistics)) {
    const word = at.words !== undefined && Object.hasOwn(at.words, key) ? (at.words[key] ?? key) : key;
    const name = latencyName(family, word);
    if (name.kind === 'extra' && !keptBeside.has(word)) {
      figures.ignored.add(key);
      continue;
    }
    // Built only for errors, which few figures have.
    const value = isFigure(stated) ? stated + 0 : readFigure(figures, stated, `${at.pointer}${at.joint ?? '/'}${key}`);
    if (value !== null) found.push({ word, value: at.places === 0 ? value : shiftDecimal(value, at.places), name });
  }
  const middle = (['mean', 'median', 'p50'] as const).flatMap((word) => found.find((each) => each.word === word) ?? []);
  if (middle.length === 0 || middle.some(({ value }) => value === 0)) return false;
  for (const { name, value } of found) {
    if (name.kind === 'metric') figures.metrics.set(name.name, value);
    else figures.extra[name.name] = value;
  }
  return true;
}

/** A total that a report gives only as the mean over a number of requests; null if the product is not a whole number. */
export function totalOf(mean: number | null, count: number | null): number | null {
  if (mean === null || count === null) return null;
  const total = Math.round(mean * count);
  return Math.abs(mean * count - total) <= 1e-9 * Math.max(total, 1) + 1e-6 ? total : null;
}

/** The formulas, by metric base, of the measured metrics. */
export function definitionsOf(
  metrics: Iterable<readonly [string, unknown]>,
  formulas: Record<string, string>,
): Record<string, string> {
  const names = [...metrics].map(([name]) => name);
  return Object.fromEntries(Object.entries(formulas).filter(([base]) => names.some((name) => name.startsWith(base))));
}
