import type { Fault } from '../errors.ts';
import { type MetricName, metrics as registry } from '../metrics/index.ts';
import type { Result } from '../result.ts';
import type { Check } from './check.ts';

interface Wanted {
  isCount: boolean;
  isTime: boolean;
  /** Statistics of the same family, of which a positive one shows that a time of 0 was rounded and not missing. */
  siblings: readonly MetricName[];
  /** A mean of 0 is rounded by no other statistic, nor is the largest of all values. */
  mayRound: boolean;
}

const counts = new Set(['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens', 'batch_size']);

const wantedOf = new Map<string, Wanted>(
  registry.map(({ name, family, statistic }) => [
    name,
    {
      isCount: counts.has(family.base),
      isTime: (family.unit === 'ms' || family.unit === 's') && statistic !== 'sd',
      siblings: registry
        .filter((other) => other.family === family && other.statistic !== 'sd')
        .map((other) => other.name),
      mayRound: statistic !== null && statistic !== 'mean' && statistic !== 'max',
    },
  ]),
);

/** What a figure should have been; null where it is sane. */
function faultOf(name: string, value: number, stated: Result['metrics']): string | null {
  const wanted = wantedOf.get(name);
  if (wanted === undefined) return null;
  if (!Number.isFinite(value)) return 'a finite number';
  if (wanted.isCount) return value >= 0 && Number.isSafeInteger(value) ? null : 'a whole number, 0 or more';
  if (value > 0 || (value === 0 && !wanted.isTime)) return null;
  if (!wanted.isTime) return '0 or more';
  const isRounded = value === 0 && wanted.mayRound && wanted.siblings.some((sibling) => (stated[sibling] ?? 0) > 0);
  return isRounded ? null : 'above 0';
}

/**
 * Figures as stated that no measurement gives, a fault for each; such a file is refused. Figures that were recomputed
 * from records are ours and not among them.
 */
export function figureFaults({ metrics, records }: Result): Fault[] {
  const stated = records === null ? metrics : records.stated;
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(stated)) {
    const wanted = faultOf(name, value, stated);
    if (wanted === null) continue;
    faults.push({
      code: 'value_invalid',
      message: `${name} must be ${wanted}, found ${value}.`,
      hint: 'Leave out what was not measured.',
    });
  }
  return faults;
}

export const a1SaneFigures: Check = {
  id: 'A1',
  code: 'figure_invalid',
  title: 'Figures are numbers that a measurement can give',
  rule:
    'Every figure is finite and 0 or more, counts are whole numbers, times and latencies are above 0. A percentile or minimum of 0 beside a positive statistic of the same latency was rounded and is allowed, as is a standard deviation of 0. ' +
    'A file with any other figure is refused before it is stored; should one get through, it is a violation.',
  check({ result }) {
    const faults = figureFaults(result);
    if (faults.length === 0) return Object.keys(result.metrics).length === 0 ? 'not_applicable' : 'pass';
    return faults.map(({ message }) => ({ severity: 'violation', message, evidence: { found: message } }));
  },
};
