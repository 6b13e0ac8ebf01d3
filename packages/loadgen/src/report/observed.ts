import { engineGroups, type Sample, type SampleGroup } from '@inferboard/core/observed/engine-state';
import type { Chart } from './charts.ts';
import type { RecordedPoint } from './recorded-point.ts';
import type { Series } from './time-series.ts';

export type { Sample } from '@inferboard/core/observed/engine-state';

export interface Observed {
  /** Facts of the server, by what they are called. */
  facts: Readonly<Record<string, string>>;
  samples: readonly Sample[];
}

/** What is drawn together. */
const groups: readonly SampleGroup[] = [
  ...engineGroups,
  { title: 'Power of all GPUs', unit: 'W', names: { power_w: 'power' } },
  { title: 'Clocks, mean of all GPUs', unit: 'MHz', names: { sm_clock_mhz: 'cores', memory_clock_mhz: 'memory' } },
  { title: 'GPU use, mean of all', unit: '%', names: { gpu_use_percent: 'use' } },
  { title: 'GPU memory in use', unit: 'GiB', names: { gpu_memory_gib: 'memory' } },
];

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
  const samples = during([...observed.samples, ...own], startedUnixMs, xMax);
  return groups.flatMap(({ title, unit, factor = 1, names }) => {
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
