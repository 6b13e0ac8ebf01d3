import type { MetricFamily } from '@inferboard/core/metrics/metric';
import type { Entry, Statistics } from './api.ts';
import { formatFigure, formatInterval, formatPercent, formatPlural, formatValue, type Scatter } from './format.ts';
import { testWords } from './words.ts';

/** Statistics of one metric as printed text. */
export interface Figure {
  value: string;
  unit: string;
  sd: string | null;
  /** "3"; "not stated" if a tool averaged without stating n. */
  n: string;
  /** "n 3, 95 % 197.73 to 198.39", "n not stated". */
  basisText: string;
  /** Source of the scatter, if we did not compute it. */
  sdNote: string | null;
  interval: string | null;
  /** Why there is no interval; null with one. */
  noInterval: string | null;
  /** "assumed 52.1 to 53.2, by 12 repeated points of the tool": the ranking interval of a single run. */
  assumed: string | null;
  median: string | null;
  range: string | null;
  stability: NonNullable<Statistics['stability']> | null;
  cv: string | null;
  isUnstable: boolean;
  /** "2,898.23 flagged: Grubbs 1.1545 > 1.1543" */
  outliers: string[];
}

type Assumed = Entry['statistics']['assumed'];

function assumedText({ mean }: Statistics, unit: string, assumed: Assumed): string | null {
  if (assumed === null) return null;
  const points = formatPlural(assumed.n_points, 'repeated point');
  return `assumed ${formatInterval(mean, unit, assumed.interval)}, from ${points} of the tool`;
}

type Outlier = Statistics['outliers'][number];

function outlierText({ value, tests }: Outlier, unit: string, scatter: Scatter): string {
  const reasons = tests.map(({ test, statistic, critical }) => {
    const digits = test === 'grubbs' ? 4 : 2;
    return `${testWords[test] ?? test} ${Math.abs(statistic).toFixed(digits)} > ${critical.toFixed(digits)}`;
  });
  return `${formatValue(value, unit, scatter)} flagged: ${reasons.join(', ')}`;
}

function noIntervalText(n: number | null): string {
  if (n === null) return 'no interval (n not stated)';
  return n === 1 ? 'no interval (1 run)' : 'no interval (sd not stated)';
}

/** `assumed`: the ranking interval of a single run. */
export function toFigure(
  given: Statistics,
  { unit, kind }: Pick<MetricFamily, 'unit' | 'kind'>,
  assumed: Assumed = null,
): Figure {
  // Evaluation items are right or wrong, so their deviation does not describe the scatter between runs.
  const statistics = kind === 'quality' ? { ...given, sd: null, cv: null, stability: null } : given;
  const { n, mean, sd, median, ci95, cv, min, max, stability, basis, outliers } = statistics;
  // The ranking interval determines the number of significant digits.
  const scatter = { ci95: ci95 ?? assumed?.interval, sd };
  const formatted = formatFigure(mean, unit, scatter);
  const interval = formatInterval(mean, unit, ci95, scatter);
  const isUnstable = stability === 'unstable';
  return {
    value: formatted?.number ?? '',
    unit: formatted?.unit ?? unit,
    sd: formatted?.sd ?? null,
    n: n === null ? 'not stated' : String(n),
    basisText: [n === null ? 'n not stated' : `n ${n}`, interval === null ? null : `95 % ${interval}`]
      .filter((part) => part !== null)
      .join(', '),
    sdNote: basis === 'tool_summary' && sd !== null ? 'sd as the tool states it' : null,
    interval,
    noInterval: ci95 === null ? noIntervalText(n) : null,
    assumed: assumedText(statistics, unit, assumed),
    median: formatValue(median, unit, scatter),
    range: n === null || n < 2 || min === null || max === null ? null : formatInterval(mean, unit, [min, max], scatter),
    stability,
    cv: formatPercent(cv),
    isUnstable,
    outliers: outliers.map((outlier) => outlierText(outlier, unit, scatter)),
  };
}
