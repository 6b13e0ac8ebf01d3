import type { Fault } from '../../errors.ts';
import { type MetricName, metrics as registry } from '../../metrics/index.ts';
import type { Result } from '../../subjects/result.ts';
import type { Check } from '../check.ts';

interface Wanted {
  isCount: boolean;
  isTime: boolean;
  isDeviation: boolean;
  /** Statistics of the same family. A positive one shows that a time of 0 was rounded, not missing. */
  siblings: readonly MetricName[];
  /** False for the mean and the maximum: no other statistic explains a 0 there. */
  mayRound: boolean;
  /** For a percentile that cannot be 0 if the mean is above `roundedMs`: the metric of the mean. Only chunks arrive together. */
  mean: MetricName | null;
}

const counts = new Set(['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens', 'batch_size']);

const wantedOf = new Map<string, Wanted>(
  registry.map(({ name, family, statistic }) => [
    name,
    {
      isCount: counts.has(family.base),
      isTime: (family.unit === 'ms' || family.unit === 's') && statistic !== 'sd',
      isDeviation: statistic === 'sd',
      siblings: registry
        .filter((other) => other.family === family && other.statistic !== 'sd')
        .map((other) => other.name),
      mayRound: statistic !== null && statistic !== 'mean' && statistic !== 'max',
      mean:
        statistic?.startsWith('p') && family.base !== 'itl_ms'
          ? (registry.find((other) => other.family === family && other.statistic === 'mean')?.name ?? null)
          : null,
    },
  ]),
);

/** The step of tools that print seconds with two decimals: a mean up to here may have a median that is printed as 0. */
const roundedMs = 10;
/** 1e-12 ms and 31 000 years. Within this range, products and quotients of figures stay finite. */
const least = 1e-12;
const most = 1e15;

/** Describes the valid range of an invalid figure; null if the figure is valid. */
function faultOf(name: string, value: number, stated: Result['metrics']): string | null {
  const wanted = wantedOf.get(name);
  if (wanted === undefined) return null;
  if (!Number.isFinite(value)) return 'a finite number';
  if (Math.abs(value) > most) return `at most ${most}`;
  // The deviation of equal values can be a floating-point remainder.
  if (value > 0 && value < least && !wanted.isDeviation) return `at least ${least}`;
  if (wanted.isCount) return value >= 0 && Number.isSafeInteger(value) ? null : 'a whole number, 0 or more';
  if (value > 0 || (value === 0 && !wanted.isTime)) return null;
  if (!wanted.isTime) return '0 or more';
  const isRounded = value === 0 && wanted.mayRound && wanted.siblings.some((sibling) => (stated[sibling] ?? 0) > 0);
  const mean = wanted.mean === null ? 0 : (stated[wanted.mean] ?? 0);
  if (isRounded && mean > roundedMs) return `above 0 where ${wanted.mean} is ${mean}`;
  return isRounded ? null : 'above 0';
}

/** Deviations and range ends above the maximum. These are not metrics, so no other limit applies. */
function besides({ repeats, ranges }: Result): [string, number][] {
  if (repeats === null && ranges === undefined) return [];
  const deviations = Object.entries(repeats?.sd ?? {}).map(([name, sd]): [string, number] => [
    `The deviation of ${name}`,
    sd,
  ]);
  const ends = Object.entries(ranges ?? {}).map(([name, [, high]]): [string, number] => [`The range of ${name}`, high]);
  return [...deviations, ...ends].filter(([, value]) => value > most);
}

const toFault = (name: string, wanted: string, value: number): Fault => ({
  code: 'value_invalid',
  message: `${name} must be ${wanted}, found ${value}.`,
  hint: 'Omit values that were not measured.',
});

/**
 * Returns a fault for each stated figure that no measurement can produce; a file with one is rejected. Figures recomputed
 * from records are excluded.
 */
export function figureFaults(result: Result): Fault[] {
  const stated = result.records === null ? result.metrics : result.records.stated;
  const faults = besides(result).map(([name, value]) => toFault(name, `at most ${most}`, value));
  for (const name in stated) {
    const value = stated[name as MetricName] as number; // an own property, not inherited
    const wanted = faultOf(name, value, stated);
    if (wanted !== null) faults.push(toFault(name, wanted, value));
  }
  return faults;
}

export const a1SaneFigures: Check = {
  id: 'A1',
  code: 'figure_invalid',
  title: 'Figures are valid numbers',
  rule:
    'Every figure is finite, 0 or more and at most 1e15, counts are whole numbers, times and latencies are above 0, and positive values are at least 1e-12. A percentile or minimum of 0 with a positive statistic of the same latency was rounded and is allowed, as is a standard deviation of 0. A percentile of 0 is invalid if the mean is above 10 ms, except for ITL, because chunks can arrive together. ' +
    'A file with any other value is rejected. In a stored result, such a value is a violation.',
  check({ result }) {
    const faults = figureFaults(result);
    if (faults.length === 0) return Object.keys(result.metrics).length === 0 ? 'not_applicable' : 'pass';
    return faults.map(({ message }) => ({ severity: 'violation', message, evidence: { found: message } }));
  },
};
