import type { Metric } from '@inferboard/core/metrics/index';
import type { Entry } from '../lib/api.ts';
import { toFigure } from '../lib/figures.ts';
import { type OverlayChart, overlayChart } from './overlay.ts';

/** One scenario of one configuration, measured at several power limits. */
export interface PowerSeries {
  name: string;
  /** Each a system that differs from the others in its power limit alone. */
  entries: readonly Entry[];
}

/** Fewer limits make no curve. */
export const limitsMin = 3;

/** A metric over the power limit, one line a scenario; error bars are what the tool or the repetitions say of the scatter. */
export function powerCurve(metric: Metric, series: readonly PowerSeries[]): OverlayChart {
  const { unit } = metric.family;
  return overlayChart({
    title: `${metric.title} over the power limit`,
    xTitle: 'Power limit of each GPU, W',
    isLogX: false,
    yTitle: `${metric.title}, ${unit}`,
    unit,
    errorText: '± one standard deviation, as the table prints it',
    series: series.map(({ name, entries }) => ({
      name,
      points: entries.flatMap(({ system, statistics }) => {
        if (system.gpu_power_limit_w === null) return [];
        const { value, sd, unit: shown } = toFigure(statistics, metric.family);
        const scatter = statistics.sd ?? 0;
        return [
          {
            x: system.gpu_power_limit_w,
            value: statistics.mean,
            low: scatter === 0 ? null : statistics.mean - scatter,
            high: scatter === 0 ? null : statistics.mean + scatter,
            text: `${value}${sd === null ? '' : ` ${sd}`} ${shown}`,
            n: statistics.n === null ? 'n not stated' : `n ${statistics.n}`,
            href: `/systems/${system.id}`,
          },
        ];
      }),
    })),
  });
}
