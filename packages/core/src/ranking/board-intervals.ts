import type { Metric } from '../metrics/index.ts';
import { studentT } from '../statistics/student-t.ts';
import type { ChosenDefinitions } from './formulas.ts';
import type { PointTable } from './point-table.ts';
import { type Assumption, assumptionsBySet, scatterByTool } from './tool-scatter.ts';

/** The intervals that rows rank by, and what is assumed of the scatter of each. */
export interface Intervals {
  /** In the order of the rows. */
  lows: Float64Array;
  highs: Float64Array;
  /** Of a single measurement: what is assumed of it; null where nothing is. */
  assumptionOf(row: number): Assumption | null;
}

/** Repetitions for which quantiles are kept. */
const countMax = 64;

/** Two-sided 95 % quantiles by how many values there are. */
const quantiles = Float64Array.from({ length: countMax + 1 }, (_, count) =>
  count < 2 ? Number.NaN : studentT(0.95, count - 1),
);

/**
 * Of each row its mean's 95 % interval, as `confidenceInterval95` has it, or the one assumed of a single measurement from
 * the repeated points of its tool, or its value alone. There may be hundreds of thousands of rows.
 */
export function intervalsOf(
  table: PointTable,
  { metric, chosen }: { metric: Metric; chosen: ChosenDefinitions | null },
  rows: Int32Array,
): Intervals {
  const values = table.values(metric.name);
  const { n, sd, tools } = table.figures(metric.name);
  const assumptions = assumptionsBySet(table.tools, scatterByTool(table, metric, chosen));
  const lowFactors = Float64Array.from(assumptions, (assumption) => assumption?.factors[0] ?? 1);
  const highFactors = Float64Array.from(assumptions, (assumption) => assumption?.factors[1] ?? 1);
  const [lows, highs] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  for (let place = 0; place < rows.length; place += 1) {
    const row = rows[place] as number;
    const [value, count, scatter] = [values[row] as number, n[row] as number, sd[row] as number];
    if (Number.isNaN(scatter)) {
      const tool = tools[row] as number;
      // Without a number of values nothing is assumed either.
      lows[place] = count === 1 ? value * (lowFactors[tool] ?? 1) : value;
      highs[place] = count === 1 ? value * (highFactors[tool] ?? 1) : value;
    } else if (count >= 2) {
      const quantile = (count <= countMax ? quantiles[count] : undefined) ?? studentT(0.95, count - 1);
      const half = (quantile * scatter) / Math.sqrt(count);
      lows[place] = value - half;
      highs[place] = value + half;
    } else {
      lows[place] = value;
      highs[place] = value;
    }
  }
  const assumptionOf = (row: number) =>
    n[row] === 1 && Number.isNaN(sd[row] as number) ? (assumptions[tools[row] as number] ?? null) : null;
  return { lows, highs, assumptionOf };
}
