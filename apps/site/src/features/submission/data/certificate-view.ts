import { findMetric } from '@inferboard/core/metrics/index';
import type { Result } from '../../../lib/api.ts';
import { formatCount, formatWithUnit } from '../../../lib/format.ts';
import { resultName } from './submission-view.ts';

/** A percentile that we recomputed from the records of a result, and its reliability. */
export interface CertificateRow {
  href: string;
  result: string;
  metric: string;
  /** "512 ms"; with too few samples, "p99 of 50". */
  value: string;
  isCertified: boolean;
  n: string;
  /** "below 530 ms", or why there is no bound. */
  bound: string;
}

const rowsMax = 200;

/** Percentiles recomputed from per-request records, by result. Excludes percentiles copied from a tool's summary. */
export function toCertificates(results: readonly Result[]): CertificateRow[] {
  const rows = results.flatMap((result) =>
    Object.entries(result.certified).flatMap(
      ([name, { status, n, floor, value, upper_99: upper }]): CertificateRow[] => {
        const metric = findMetric(name);
        if (status === 'uncertified' || metric === null || value === null || n === null) return [];
        const { unit } = metric.family;
        const isCertified = status === 'certified';
        const needed = floor === null ? '' : `, ${formatCount(floor)} are enough`;
        return [
          {
            href: `#${result.id}`,
            result: resultName(result, results),
            metric: metric.title,
            value: `${formatWithUnit(value, unit)}${isCertified ? '' : ` (${metric.statistic} of ${formatCount(n)})`}`,
            isCertified,
            n: formatCount(n),
            bound:
              upper === null
                ? `no bound from ${formatCount(n)} samples${isCertified ? '' : needed}`
                : `below ${formatWithUnit(upper, unit)}`,
          },
        ];
      },
    ),
  );
  return rows.slice(0, rowsMax);
}
