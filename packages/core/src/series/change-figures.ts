import { type PointSample, type PointStatistics, pointStatistics } from '../statistics/point-statistics.ts';
import type { Figure } from './comparison.ts';

/** One result's value of a metric, with its times. */
export interface Reading extends PointSample {
  id: string;
  submissionId: string;
  definition: string | null;
  /** When it was measured, RFC 3339; null if unknown. */
  measuredAt: string | null;
  /** When it was stored. */
  createdAt: string;
}

/** When it was measured, or when it was stored if that is unknown. */
export const timeOf = ({ measuredAt, createdAt }: Pick<Reading, 'measuredAt' | 'createdAt'>) => measuredAt ?? createdAt;

/** Day in UTC: "2026-11-21". */
export const dayOf = (reading: Pick<Reading, 'measuredAt' | 'createdAt'>): string =>
  new Date(timeOf(reading)).toISOString().slice(0, 10);

/** A summary of readings of one definition, with their time span. */
export interface Summed extends Pick<PointStatistics, 'n' | 'mean' | 'sd' | 'ci95' | 'results'> {
  definition: string | null;
  /** Earliest and latest measurement time; null if unknown for all. */
  measuredAt: [string, string] | null;
  /** Earliest and latest storage time. */
  createdAt: [string, string];
}

const byTime = (a: string, b: string) => Date.parse(a) - Date.parse(b);

function spanOf(times: readonly string[]): [string, string] | null {
  const sorted = times.toSorted(byTime);
  const [first, last] = [sorted[0], sorted.at(-1)];
  return first === undefined || last === undefined ? null : [first, last];
}

/** Summarizes readings of one definition. Null without readings. */
export function sumUp(readings: readonly Reading[]): Summed | null {
  const [first] = readings;
  const createdAt = spanOf(readings.map((reading) => reading.createdAt));
  if (first === undefined || createdAt === null) return null;
  const { n, mean, sd, ci95, results } = pointStatistics(readings);
  const measuredAt = spanOf(readings.flatMap((reading) => reading.measuredAt ?? []));
  return { n, mean, sd, ci95, results, definition: first.definition, measuredAt, createdAt };
}

/** For comparisons. A summary with an unknown number of repetitions counts as one. */
export const toFigure = ({ n, mean, sd, definition }: Summed): Figure => ({ n: n ?? 1, mean, sd, definition });

/** A day of a point, its readings in id order, and the readings of all previous days. */
export interface Day<R extends Reading = Reading> {
  day: string;
  readings: R[];
  before: R[];
}

/** Splits readings of one definition into days, oldest first. */
export function splitDays<R extends Reading>(readings: readonly R[]): Day<R>[] {
  const byDay = [...Map.groupBy(readings, dayOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  return byDay.map(([day, of], at) => ({
    day,
    readings: of.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    before: byDay.slice(0, at).flatMap(([, earlier]) => earlier),
  }));
}
