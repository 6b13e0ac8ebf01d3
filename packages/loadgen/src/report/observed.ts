import { observedGroups, type Sample } from '@inferboard/core/observed/engine-state';
import type { Chart } from './charts.ts';
import type { RecordedPoint } from './recorded-point.ts';
import type { Series } from './time-series.ts';

export type { Sample } from '@inferboard/core/observed/engine-state';

export interface Observed {
  /** Facts of the server, by what they are called. */
  facts: Readonly<Record<string, string>>;
  samples: readonly Sample[];
}

function during(samples: readonly Sample[], startedUnixMs: number, xMax: number): Sample[] {
  return samples.filter(({ unixMs }) => unixMs >= startedUnixMs && unixMs <= startedUnixMs + 1000 * xMax);
}

/** The charts of what was seen while a point was measured, on its time axis. */
export function observedCharts(
  observed: Observed,
  { startedUnixMs, samples: own }: RecordedPoint,
  xMax: number,
): Pick<Chart, 'title' | 'unit' | 'series'>[] {
  if (startedUnixMs === null) return [];
  const all = during(observed.samples, startedUnixMs, xMax);
  // A stored point has only a part of the samples.
  const samples = all.length > 0 ? all : during(own, startedUnixMs, xMax);
  return observedGroups.flatMap(({ title, unit, factor = 1, names }) => {
    const series = Object.entries(names).flatMap(([key, name]) => {
      const values: Series = samples.flatMap(({ unixMs, values }) => {
        const value = values[key];
        return value === undefined ? [] : [[(unixMs - startedUnixMs) / 1000, value * factor] as const];
      });
      return values.length === 0 ? [] : [{ name, values, style: 'line' as const }];
    });
    return series.length === 0 ? [] : [{ title, unit, series }];
  });
}
