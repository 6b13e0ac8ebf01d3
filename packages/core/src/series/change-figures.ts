import { type PointSample, type PointStatistics, pointStatistics } from '../statistics/point-statistics.ts';
import type { Figure } from './comparison.ts';

/** One result's value of a metric, with when it came to be. */
export interface Reading extends PointSample {
  id: string;
  submissionId: string;
  definition: string | null;
  /** When it was measured, RFC 3339; null where nobody said. */
  measuredAt: string | null;
  /** When it was stored. */
  createdAt: string;
}

/** When it was measured as far as is known, else when it was stored. */
export const timeOf = ({ measuredAt, createdAt }: Pick<Reading, 'measuredAt' | 'createdAt'>) => measuredAt ?? createdAt;

/** Day in UTC: "2026-11-21". */
export const dayOf = (reading: Pick<Reading, 'measuredAt' | 'createdAt'>): string =>
  new Date(timeOf(reading)).toISOString().slice(0, 10);

/** Readings of one definition, summed up, and the span of their times. */
export interface Summed extends Pick<PointStatistics, 'n' | 'mean' | 'sd' | 'ci95' | 'results'> {
  definition: string | null;
  /** Earliest and latest time it was measured; null where nobody said for any of them. */
  measuredAt: [string, string] | null;
  /** Earliest and latest time it was stored. */
  createdAt: [string, string];
}

const byTime = (a: string, b: string) => Date.parse(a) - Date.parse(b);

function spanOf(times: readonly string[]): [string, string] | null {
  const sorted = times.toSorted(byTime);
  const [first, last] = [sorted[0], sorted.at(-1)];
  return first === undefined || last === undefined ? null : [first, last];
}

/** Sums up readings of one definition. Null without any. */
export function sumUp(readings: readonly Reading[]): Summed | null {
  const [first] = readings;
  const createdAt = spanOf(readings.map((reading) => reading.createdAt));
  if (first === undefined || createdAt === null) return null;
  const { n, mean, sd, ci95, results } = pointStatistics(readings);
  const measuredAt = spanOf(readings.flatMap((reading) => reading.measuredAt ?? []));
  return { n, mean, sd, ci95, results, definition: first.definition, measuredAt, createdAt };
}

/** For comparing; a summary whose number of repetitions nobody knows counts as one. */
export const toFigure = ({ n, mean, sd, definition }: Summed): Figure => ({ n: n ?? 1, mean, sd, definition });

/** A day of a point, its readings in the order of their ids, and those of all days before it. */
export interface Day<R extends Reading = Reading> {
  day: string;
  readings: R[];
  before: R[];
}

/** The days on which a point was measured by one definition, oldest first. */
export function splitDays<R extends Reading>(readings: readonly R[]): Day<R>[] {
  const byDay = [...Map.groupBy(readings, dayOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  return byDay.map(([day, of], at) => ({
    day,
    readings: of.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    before: byDay.slice(0, at).flatMap(([, earlier]) => earlier),
  }));
}
