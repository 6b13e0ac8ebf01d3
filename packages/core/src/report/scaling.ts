import type { MetricName } from '../metrics/index.ts';
import { fewest, scenarioKeyOf, scenariosOf, shareOf } from './figures.ts';
import type { Figure, ReportPoint, ReportScenario, ReportStatistic } from './types.ts';

/**
 * The two bases of X in X(B) / (B x X(1)), preferred first. The decode speed of B users divided by B is the speed of one.
 */
const bases: readonly { id: string; speedOf(point: ReportPoint): ReportStatistic | undefined }[] = [
  { id: 'output_basis', speedOf: ({ statistics, load }) => perLevel(statistics.output_tok_s, load.level) },
  {
    id: 'decode_basis',
    speedOf: ({ statistics, load }) => statistics.user_tok_s ?? perLevel(statistics.decode_tok_s, load.level),
  },
];

function perLevel(statistic: ReportStatistic | undefined, level: number | null): ReportStatistic | undefined {
  return statistic === undefined || level === null ? undefined : { ...statistic, mean: statistic.mean / level };
}

function efficiencyBeside(single: ReportPoint, point: ReportPoint): Figure | null {
  for (const { id, speedOf } of bases) {
    const [many, alone] = [speedOf(point), speedOf(single)];
    if (many === undefined || alone === undefined) continue;
    // A program's own timing and a client measure different speeds, so their ratio is not an efficiency.
    if (many.definition !== alone.definition) continue;
    const value = shareOf(many.mean, alone.mean);
    if (value === null) continue;
    const n = fewest([many.n, alone.n]);
    const { scenario, load, source } = point;
    const metric: MetricName = 'scaling_efficiency';
    return { metric, value, unit: '', n, ci95: null, definition: id, derived: true, scenario, load, source };
  }
  return null;
}

/**
 * Share of a single user's speed that remains at each higher level: X(B) / (B x X(1)). X is output throughput if both points
 * have it, else decode speed; `definition` names the basis. Points have one load mode. A scenario without a single-user
 * point has no value.
 */
export function scalingEfficiencies(points: readonly ReportPoint[]): Figure[] {
  const singles = new Map(
    points.filter(({ load }) => load.level === 1).map((point) => [scenarioKeyOf(point.scenario), point]),
  );
  return points.flatMap((point) => {
    const single = singles.get(scenarioKeyOf(point.scenario));
    if (single === undefined || point === single) return [];
    const figure = efficiencyBeside(single, point);
    return figure === null ? [] : [figure];
  });
}

/** Scenarios with higher levels but without a single-user point. */
export function withoutSingle(points: readonly ReportPoint[]): ReportScenario[] {
  const singles = new Set(scenariosOf(points.filter(({ load }) => load.level === 1)).map(scenarioKeyOf));
  return scenariosOf(points).filter((scenario) => !singles.has(scenarioKeyOf(scenario)));
}

/**
 * The two bases measure different things, so a sentence uses only one: the one with more figures, output throughput in a
 * tie.
 */
export function ofOneBasis(figures: readonly Figure[]): Figure[] {
  const [output = [], decode = []] = bases.map(({ id }) => figures.filter(({ definition }) => definition === id));
  return output.length >= decode.length ? output : decode;
}

/** The name of a figure's basis in sentences. */
export function basisWords({ definition }: Figure): string {
  return definition === 'output_basis'
    ? 'by output throughput, including waiting'
    : 'by decode speed, excluding waiting';
}
