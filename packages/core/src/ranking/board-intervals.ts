import type { Metric, MetricName } from '../metrics/index.ts';
import { countBeyond } from '../statistics/ranks.ts';
import { studentT } from '../statistics/student-t.ts';
import type { ChosenDefinitions } from './formulas.ts';
import { Octaves } from './octaves.ts';
import type { PointTable } from './point-table.ts';
import { createMemory } from './remembered.ts';
import { has, type RowSet, rowsWhere } from './row-set.ts';
import { type Assumption, assumptionsBySet, scatterByTool } from './tool-scatter.ts';

/** Ends of intervals, in the order of the rows they are of. */
export interface Ends {
  lows: Float64Array;
  highs: Float64Array;
}

/** The intervals that rows rank by, and what is assumed of the scatter of each. */
export interface Intervals {
  /** Of these rows and their values. */
  endsOf(rows: ArrayLike<number>, values: ArrayLike<number>): Ends;
  /** For each of some intervals how many of those of these rows lie wholly above it, and below it. */
  countApart(rows: Int32Array, values: Float64Array, from: Ends): { above: number[]; below: number[] };
  /** Of a single measurement: what is assumed of it; null where nothing is. */
  assumptionOf(row: number): Assumption | null;
}

/** Two-sided 95 % quantiles by how many values there are, for as many repetitions as mostly occur. */
const countMax = 64;
const quantiles = Float64Array.from({ length: countMax + 1 }, (_, count) =>
  count < 2 ? Number.NaN : studentT(0.95, count - 1),
);

const quantileOf = (count: number) => (count <= countMax ? quantiles[count] : undefined) ?? studentT(0.95, count - 1);

/** Both ends of a usual interval are within this factor of its value. */
const usualFactor = 2;

const remembered = createMemory<RowSet>({ most: 12_000_000, weigh: (set) => 1 + set.length });

/** Rows of several values whose interval is wider than is usual. */
function rowsWide(table: PointTable, metric: MetricName): RowSet {
  return remembered(table, metric, () => {
    const values = table.values(metric);
    const { n, sd } = table.figures(metric);
    return rowsWhere(table.length, (row) => {
      const [value, count, scatter] = [values[row] as number, n[row] as number, sd[row] as number];
      if (!(scatter > 0 && count >= 2)) return false;
      return !((quantileOf(count) * scatter) / Math.sqrt(count) <= value * (1 - 1 / usualFactor));
    });
  });
}

/**
 * Of each row its mean's 95 % interval, as `confidenceInterval95` has it, or the one assumed of a single measurement from
 * the repeated points of its tool, or its value alone. There may be hundreds of thousands of rows.
 */
export function intervalsOf(
  table: PointTable,
  { metric, chosen }: { metric: Metric; chosen: ChosenDefinitions | null },
): Intervals {
  const { n, sd, tools } = table.figures(metric.name);
  const assumptions = assumptionsBySet(table.tools, scatterByTool(table, metric, chosen));
  const lowFactors = Float64Array.from(assumptions, (assumption) => assumption?.factors[0] ?? 1);
  const highFactors = Float64Array.from(assumptions, (assumption) => assumption?.factors[1] ?? 1);

  const put = ({ lows, highs }: Ends, place: number, row: number, value: number) => {
    const [count, scatter] = [n[row] as number, sd[row] as number];
    lows[place] = value;
    highs[place] = value;
    if (Number.isNaN(scatter)) {
      // Without a number of values nothing is assumed either.
      if (count !== 1) return;
      const tool = tools[row] as number;
      lows[place] = value * (lowFactors[tool] ?? 1);
      highs[place] = value * (highFactors[tool] ?? 1);
    } else if (count >= 2) {
      const half = (quantileOf(count) * scatter) / Math.sqrt(count);
      lows[place] = value - half;
      highs[place] = value + half;
    }
  };

  const endsOf: Intervals['endsOf'] = (rows, values) => {
    const ends = { lows: new Float64Array(rows.length), highs: new Float64Array(rows.length) };
    for (let place = 0; place < rows.length; place += 1) {
      put(ends, place, rows[place] as number, values[place] as number);
    }
    return ends;
  };

  return {
    endsOf,
    countApart: (rows, values, from) => {
      const wide = rowsWide(table, metric.name);
      const [least, most] = [Math.min(...lowFactors, 1 / usualFactor), Math.max(...highFactors, usualFactor)];
      const octaves = new Octaves(
        [...from.lows, ...from.highs],
        least > 0 ? Math.max(1 / least, most) : Number.POSITIVE_INFINITY,
      );
      const places = octaves.sort(values, (place) => has(wide, rows[place] as number));
      const near = endsOf(
        places.map((place) => rows[place] as number),
        Float64Array.from(places, (place) => values[place] as number),
      );
      return {
        above: countBeyond(near.lows, [...from.highs], 'above').map(
          (count, at) => count + octaves.countBeyond(from.highs[at] as number, 'above'),
        ),
        below: countBeyond(near.highs, [...from.lows], 'below').map(
          (count, at) => count + octaves.countBeyond(from.lows[at] as number, 'below'),
        ),
      };
    },
    assumptionOf: (row) =>
      n[row] === 1 && Number.isNaN(sd[row] as number) ? (assumptions[tools[row] as number] ?? null) : null,
  };
}
