import type { MetricName } from '../metrics/index.ts';
import { figuresOf } from './figures.ts';
import type { Figure, Range, ReportFinding, ReportPoint } from './types.ts';

/** A section with its contribution to the rest of the report. */
export interface Reading<Section> {
  section: Section;
  ranges: Range[];
  findings: ReportFinding[];
  /** Number of values omitted because they have another formula. */
  otherDefinition: number;
}

/** Several metrics of the same points, each by one formula. */
export function readMetrics<M extends MetricName>(
  points: readonly ReportPoint[],
  names: readonly M[],
): { figures: Record<M, Figure[]>; otherDefinition: number } {
  const read = names.map((name) => [name, figuresOf(points, name)] as const);
  return {
    // `fromEntries` loses the type of the keys.
    figures: Object.fromEntries(read.map(([name, { figures }]) => [name, figures])) as Record<M, Figure[]>, // all of M
    otherDefinition: read.reduce((total, [, { otherDefinition }]) => total + otherDefinition, 0),
  };
}
