import { assumedFactors, type PooledCv } from '../statistics/pooled-cv.ts';

/** A tool's pooled scatter, and the ends of the assumed interval of a single measurement as multiples of its value. */
export interface Assumption {
  pooled: PooledCv;
  factors: [low: number, high: number];
}

/** Scatter of a tool's repetitions of one point: sums over the points that only this tool measured repeatedly. */
export interface ToolScatter {
  tool: string;
  /** Sum of (n - 1) (sd / mean)^2. */
  squares: number;
  /** Sum of n - 1. */
  df: number;
  groups: number;
}

/** Returns the assumption for a single measurement by each tool. */
export function assumptionsByTool(scatter: readonly ToolScatter[]): ReadonlyMap<string, Assumption> {
  return new Map(
    scatter
      .filter(({ df, groups }) => df > 0 && groups > 0)
      .map(({ tool, squares, df, groups }) => {
        const pooled = { cv: Math.sqrt(Math.max(0, squares) / df), df, groups };
        return [tool, { pooled, factors: assumedFactors(pooled) }];
      }),
  );
}

/** Returns the widest assumption for a single measurement by some tools; null if nothing is known. */
export function assumptionOf(tools: readonly string[], byTool: ReadonlyMap<string, Assumption>): Assumption | null {
  const width = (assumption: Assumption | null) => assumption?.factors[1] ?? 0;
  return tools
    .map((tool) => byTool.get(tool) ?? null)
    .reduce((widest, next) => (width(next) > width(widest) ? next : widest), null);
}
