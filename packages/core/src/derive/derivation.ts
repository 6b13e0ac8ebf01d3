import type { MetricName } from '../metrics/index.ts';
import type { Subject } from '../subject.ts';

/** A number made of other numbers of the same result, or of it and its neighbours, and which definition of its metric that is. */
export interface Derived {
  metric: MetricName;
  value: number;
  definition?: { base: string; id: string };
}

/** One derived figure, one file. Answers null where an input is missing; never overrides a measured value. */
export interface Derivation {
  metric: MetricName;
  derive(subject: Subject): Derived | null;
}
