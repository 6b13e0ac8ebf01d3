import type { MetricName } from '../metrics/index.ts';
import type { Subject } from '../subjects/subject.ts';

/** A number calculated from the same result, or from it and its neighbors, with its definition. */
export interface Derived {
  metric: MetricName;
  value: number;
  definition?: { base: string; id: string };
}

/** One derived figure, one file. Returns null if an input is missing. Never overrides a measured value. */
export interface Derivation {
  metric: MetricName;
  derive(subject: Subject): Derived | null;
}
