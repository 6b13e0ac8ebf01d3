import { definitionGroup, findMetric, type MetricName } from '../metrics/index.ts';
import { differ } from '../statistics/intervals/intervals.ts';
import { loadModesOrUnspecified } from '../subjects/load.ts';
import type { Figure, ReportPoint, ReportScenario, ReportStatistic, Series } from './types.ts';

/** The key that distinguishes workloads. */
export function scenarioKeyOf(scenario: ReportScenario): string {
  const { id, inputTokens, outputTokens, dataset, depth } = scenario;
  return JSON.stringify([id, inputTokens, outputTokens, dataset, depth]);
}

function compareNullable(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}

/** Sort order of all lists in a report: short prompts first, then low levels. */
function comparePoints(a: ReportPoint, b: ReportPoint): number {
  const [keyA, keyB] = [scenarioKeyOf(a.scenario), scenarioKeyOf(b.scenario)];
  return (
    compareNullable(a.scenario.inputTokens, b.scenario.inputTokens) ||
    (keyA === keyB ? 0 : keyA < keyB ? -1 : 1) ||
    loadModesOrUnspecified.indexOf(a.load.mode) - loadModesOrUnspecified.indexOf(b.load.mode) ||
    compareNullable(a.load.level, b.load.level)
  );
}

export const inOrder = (points: readonly ReportPoint[]): ReportPoint[] => [...points].sort(comparePoints);

/** Each workload once, in the order of the points. */
export function scenariosOf(points: readonly ReportPoint[]): ReportScenario[] {
  return [...new Map(points.map(({ scenario }) => [scenarioKeyOf(scenario), scenario])).values()];
}

/** All levels, ascending. */
export function levelsOf(points: readonly ReportPoint[]): number[] {
  return [...new Set(points.flatMap(({ load }) => load.level ?? []))].sort((a, b) => a - b);
}

const requireMetric = (name: MetricName) => {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`${name} is not in the registry`);
  return metric;
};

/** Calculates the decode speed of the whole system if only one user's is known: users x per-user speed. */
function ofAllUsers({ load, statistics }: ReportPoint): ReportStatistic | undefined {
  const { user_tok_s } = statistics;
  const { mode, level } = load;
  if (user_tok_s === undefined || level === null || mode === 'rate' || mode === 'unspecified') return undefined;
  const { mean, ci95, ...rest } = user_tok_s;
  return {
    ...rest,
    mean: mean * level,
    ci95: ci95 === null ? null : [ci95[0] * level, ci95[1] * level],
    derived: true,
  };
}

function statisticOf(point: ReportPoint, name: MetricName): ReportStatistic | undefined {
  return point.statistics[name] ?? (name === 'decode_tok_s' ? ofAllUsers(point) : undefined);
}

/**
 * Collects one metric of many points. Values of different definition groups measure different things and never share a list.
 * The result has the group that the registry prefers, and the number of values in other groups.
 */
export function figuresOf(
  points: readonly ReportPoint[],
  name: MetricName,
): { figures: Figure[]; otherDefinition: number } {
  const { family } = requireMetric(name);
  const found = points.flatMap((point) => {
    const statistic = statisticOf(point, name);
    if (statistic === undefined || !Number.isFinite(statistic.mean)) return [];
    const { mean: value, ...rest } = statistic;
    const { scenario, load, source } = point;
    const figure: Figure = { metric: name, value, unit: family.unit, ...rest, scenario, load, source };
    return [{ figure, group: definitionGroup(family, statistic.definition ?? undefined) }];
  });
  const present = new Set(found.map(({ group }) => group));
  const chosen = family.definitions.find(({ group }) => present.has(group))?.group ?? null;
  const figures = found.filter(({ group }) => group === chosen).map(({ figure }) => figure);
  return { figures, otherDefinition: found.length - figures.length };
}

/** `part` as a share of `whole`; null if `whole` is zero or the ratio is too large to print in percent. */
export function shareOf(part: number, whole: number): number | null {
  const share = part / whole;
  return whole > 0 && Number.isFinite(share * 100) ? share : null;
}

/** Groups figures of one metric into one series per scenario, in the order of the figures. */
export function toSeries(figures: readonly Figure[]): Series[] {
  return [...Map.groupBy(figures, ({ scenario }) => scenarioKeyOf(scenario)).values()].flatMap((values) => {
    const [first] = values;
    return first === undefined ? [] : [{ scenario: first.scenario, metric: first.metric, unit: first.unit, values }];
  });
}

export interface Extremes {
  best: Figure;
  worst: Figure;
}

/** Best and worst figure by the metric's direction, the first of equals; null without figures. */
export function extremesOf(figures: readonly Figure[]): Extremes | null {
  const [first] = figures;
  if (first === undefined) return null;
  const isBetter = findMetric(first.metric)?.family.direction === 'lower' ? less : more;
  const best = figures.reduce((a, b) => (isBetter(b.value, a.value) ? b : a), first);
  const worst = figures.reduce((a, b) => (isBetter(a.value, b.value) ? b : a), first);
  return { best, worst };
}

const less = (a: number, b: number) => a < b;
const more = (a: number, b: number) => a > b;

/** Figures that are statistically indistinguishable from this one: equal, or with an overlapping interval. */
export function alikeTo(figure: Figure, figures: readonly Figure[]): Figure[] {
  return figures.filter(
    (other) => other !== figure && (other.value === figure.value || differ(other.ci95, figure.ci95) === false),
  );
}

/** The smaller number of repetitions; unknown if either is. */
export function fewest(counts: readonly (number | null)[]): number | null {
  let least = Number.POSITIVE_INFINITY;
  for (const n of counts) {
    if (n === null) return null;
    least = Math.min(least, n);
  }
  return Number.isFinite(least) ? least : null;
}
