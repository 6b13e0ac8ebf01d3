import type { Metric } from '@inferboard/core/metrics/index';
import type { Comparison, System } from '../../../lib/api.ts';
import { formatWithUnit } from '../../../lib/format.ts';
import { metricOf } from '../../../lib/metric-text.ts';

type Points = Comparison['points'];
type Compared = NonNullable<NonNullable<Points[number]['metrics'][number]['figures'][number]>['compared']>;

/** Rates of all GPUs of a system together. A decode speed is not one of them: most are of a single sequence, whose speed is not shared. */
const totals: ReadonlySet<string> = new Set([
  ...['output_tok_s', 'input_tok_s', 'total_tok_s', 'req_s', 'goodput_req_s', 'prefill_tok_s', 'power_w'],
]);

/** Whether a metric is a total of all GPUs of a system. */
export const isTotal = ({ name }: Pick<Metric, 'name'>): boolean => totals.has(name);

/** The GPU counts of systems whose counts differ; null if totals of the systems are comparable or a count is not stated. */
export function unlikeCounts(systems: readonly Pick<System, 'gpu_count'>[]): number[] | null {
  const counts = systems.flatMap(({ gpu_count: count }) => count ?? []);
  return counts.length === systems.length && new Set(counts).size > 1 ? counts : null;
}

/** A ratio of totals as the ratio per GPU. */
function perGpu(compared: Compared, factor: number, metric: string): Compared {
  const { ratio, interval } = compared;
  if (ratio === null) return compared;
  const scaled = ratio * factor;
  const ends = interval === null ? null : ([interval[0] * factor, interval[1] * factor] as [number, number]);
  const direction = metricOf(metric)?.family.direction ?? 'neutral';
  return {
    ...{ ratio: scaled, interval: ends, reason: compared.reason },
    significant: ends === null ? null : ends[0] > 1 || ends[1] < 1,
    better: direction === 'neutral' || scaled === 1 ? null : scaled > 1 === (direction === 'higher'),
  };
}

/** The points with ratios per GPU instead of ratios of totals, if the GPU counts of the systems differ. */
export function pointsPerGpu({ points, systems }: Pick<Comparison, 'points' | 'systems'>): Points {
  const counts = unlikeCounts(systems);
  if (counts === null) return points;
  const [first = 1] = counts;
  return points.map((point) => ({
    ...point,
    metrics: point.metrics.map((given) => ({
      ...given,
      figures: !totals.has(given.metric)
        ? given.figures
        : given.figures.map((figure, at) =>
            figure === null || figure.compared === null
              ? figure
              : { ...figure, compared: perGpu(figure.compared, first / (counts[at] ?? first), given.metric) },
          ),
    })),
  }));
}

/** A point without totals, for a verdict in words that compare whole systems. */
export const withoutTotals = (point: Points[number]): Points[number] => ({
  ...point,
  metrics: point.metrics.filter(({ metric }) => !totals.has(metric)),
});

/** "660.5 tok/s per GPU": a system's total divided by its GPUs. */
export const perGpuText = (value: number, count: number, unit: string): string =>
  `${formatWithUnit(value / count, unit)} per GPU`;

function listed(counts: readonly number[]): string {
  const texts = [...new Set(counts)].map(String);
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** Note on systems with different numbers of GPUs; null if their totals are comparable. */
export function countsNote(systems: readonly System[]): string | null {
  const counts = unlikeCounts(systems);
  if (counts === null) return null;
  return `The systems have ${listed(counts)} GPUs. Rates of a whole system are therefore compared per GPU: each ratio divides the rate by the number of GPUs. Latencies and speeds per user are not divided.`;
}
