import type { Metric } from '@inferboard/core/metrics/index';
import type { Entry } from '../lib/api.ts';
import { toFigure } from '../lib/figures.ts';
import { type OverlayChart, overlayChart } from './overlay.ts';

/** One scenario of one configuration at several power limits. */
export interface PowerSeries {
  name: string;
  /** Systems that differ only in their power limit. */
  entries: readonly Entry[];
}

/** Minimum number of power limits for a curve. */
export const limitsMin = 3;

/** A metric over the power limit, one line for each scenario. Error bars come from the tool or the repetitions. */
export function powerCurve(metric: Metric, series: readonly PowerSeries[]): OverlayChart {
  const { unit } = metric.family;
  return overlayChart({
    title: `${metric.title} by power limit`,
    xTitle: 'Power limit of each GPU, W',
    isLogX: false,
    yTitle: `${metric.title}, ${unit}`,
    unit,
    errorText: '± one standard deviation, as printed in the table',
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
