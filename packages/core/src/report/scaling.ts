import type { MetricName } from '../metrics/index.ts';
import { fewest, scenarioKeyOf, scenariosOf, shareOf } from './figures.ts';
import type { Figure, ReportPoint, ReportScenario, ReportStatistic } from './types.ts';

/** The two kinds of X in X(B) / (B x X(1)), preferred first. Decode speed of B users over B is the speed of one. */
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
    // A program that times itself and a client see different speeds: their ratio is no efficiency.
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
 * What is left of a lone user's speed at each higher level: X(B) / (B x X(1)), X being output throughput where both
 * points have it, else decode speed; `definition` names which. Points of one load mode. A scenario without its single
 * user has none.
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

/** Scenarios measured at higher levels whose single user is missing. */
export function withoutSingle(points: readonly ReportPoint[]): ReportScenario[] {
  const singles = new Set(scenariosOf(points.filter(({ load }) => load.level === 1)).map(scenarioKeyOf));
  return scenariosOf(points).filter((scenario) => !singles.has(scenarioKeyOf(scenario)));
}

/**
 * The two bases measure different things, so one sentence speaks of one of them: the one that more figures have, output
 * throughput where as many have either.
 */
export function ofOneBasis(figures: readonly Figure[]): Figure[] {
  const [output = [], decode = []] = bases.map(({ id }) => figures.filter(({ definition }) => definition === id));
  return output.length >= decode.length ? output : decode;
}

/** A figure's basis as sentences name it. */
export function basisWords({ definition }: Figure): string {
  return definition === 'output_basis' ? 'by output throughput, waiting included' : 'by decode speed, waiting left out';
}
