import { assumedInterval, type PooledCv, pooledCv } from '../../packages/core/src/statistics/pooled-cv.ts';
import { type Filters, meetsBounds, meetsFacts, meetsOriginOf, meetsStatus, meetsTrust } from './filters.ts';
import { definitionsOf, type Figure, familyOf, type Standing, type Variant } from './points.ts';

export interface BoardQuestion {
  rankBy: string;
  order: 'asc' | 'desc';
  filters: Filters;
  /** What has one entry each: a word that is the same for whatever is the same subject. */
  subjectOf: (standing: Standing) => string;
}

/** A point that takes part, by the figure that it is ranked by. */
export interface Candidate {
  standing: Standing;
  variant: Variant;
  figure: Figure;
  interval: [number, number];
  assumed: PooledCv | null;
}

export interface Entry {
  value: number;
  /** The points that are equally good for the subject; any of them may stand for it. */
  equals: Candidate[];
}

export interface Board {
  definition: string | null;
  excluded: Record<string, number>;
  entries: Map<string, Entry>;
}

/** Why a point that is of what was asked takes no part; null if it does. The first reason is the one that is told. */
function reasonOut(standing: Standing, question: BoardQuestion, group: string | null): string | null {
  const { rankBy, filters } = question;
  if (!meetsStatus(filters, standing.status)) return standing.status;
  if (!meetsTrust(filters, standing.trust)) return 'below_trust';
  const complete = completeVariants(standing, question);
  if (complete.length === 0) return 'missing_metric';
  if (group !== null && !complete.some((variant) => groupOf(rankBy, variant) === group)) return 'other_definition';
  return null;
}

/** Those of a point's variants that are of what was asked and have every metric that the question names. */
function completeVariants(standing: Standing, { rankBy, filters }: BoardQuestion): Variant[] {
  const needed = [rankBy, ...filters.bounds.map(({ metric }) => metric)];
  return standing.variants.filter(
    (variant) =>
      needed.every((metric) => variant.figures[metric] !== undefined) &&
      meetsOriginOf(filters, standing, variant, rankBy),
  );
}

export function groupOf(metric: string, variant: Variant): string | null {
  const { base } = familyOf(metric);
  return definitionsOf(base).find(({ id }) => id === variant.definitions[base])?.group ?? null;
}

/** How much each tool's repeated points scatter, whatever is asked: those of one tool alone, accepted, of this group. */
function scatterByTool(standings: readonly Standing[], metric: string, group: string | null): Map<string, PooledCv> {
  const repeated = standings
    .filter(({ status }) => status === 'accepted')
    .flatMap(({ variants }) => variants)
    .flatMap((variant) => {
      const figure = variant.figures[metric];
      if (figure === undefined || (group !== null && groupOf(metric, variant) !== group)) return [];
      const tools = [...new Set(figure.behind.map(({ tool }) => tool))];
      const [tool] = tools;
      const isRepeated = figure.mean > 0 && figure.n !== null && figure.n >= 2 && figure.sd !== null;
      return tool === undefined || tools.length > 1 || !isRepeated ? [] : [{ tool, n: figure.n ?? 0, cv: figure.cv }];
    });
  const byTool = Map.groupBy(repeated, ({ tool }) => tool);
  return new Map(
    [...byTool].flatMap(([tool, groups]) => {
      const pooled = pooledCv(groups);
      return pooled === null ? [] : [[tool, pooled] as const];
    }),
  );
}

/** The interval that a figure is ranked by: its own, that of its tool where it is a single measurement, else none. */
function intervalOf(figure: Figure, scatter: ReadonlyMap<string, PooledCv>): Pick<Candidate, 'interval' | 'assumed'> {
  if (figure.ci95 !== null) return { interval: figure.ci95, assumed: null };
  const tools = figure.n === 1 ? [...new Set(figure.behind.map(({ tool }) => tool))] : [];
  const assumptions = tools.flatMap((tool) => scatter.get(tool) ?? []);
  const widest = assumptions.toSorted((a, b) => assumedInterval(1, b)[1] - assumedInterval(1, a)[1])[0];
  return widest === undefined
    ? { interval: [figure.mean, figure.mean], assumed: null }
    : { interval: assumedInterval(figure.mean, widest), assumed: widest };
}

/** Each subject at its best point under the constraints. */
export function toBoard(standings: readonly Standing[], question: BoardQuestion): Board {
  const { rankBy, order, filters, subjectOf } = question;
  const { kind, base } = familyOf(rankBy);
  const asked = standings.filter(
    (standing) =>
      standing.first.kind === kind &&
      meetsFacts(filters, standing.first) &&
      standing.variants.some((variant) => meetsOriginOf(filters, standing, variant, rankBy)),
  );
  const present = new Set(
    asked
      .filter((standing) => reasonOut(standing, question, null) === null)
      .flatMap((standing) => completeVariants(standing, question).map((variant) => variant.definitions[base])),
  );
  const definition = definitionsOf(base).find(({ id }) => present.has(id))?.group ?? null;
  const excluded: Record<string, number> = {};
  for (const standing of asked) {
    const reason = reasonOut(standing, question, definition);
    if (reason !== null) excluded[reason] = (excluded[reason] ?? 0) + 1;
  }

  const scatter = scatterByTool(standings, rankBy, definition);
  const candidates = asked.flatMap((standing): Candidate[] => {
    if (reasonOut(standing, question, definition) !== null) return [];
    const variant = completeVariants(standing, question).find(
      (one) => definition === null || groupOf(rankBy, one) === definition,
    );
    const figure = variant?.figures[rankBy];
    if (variant === undefined || figure === undefined) return [];
    if (!meetsBounds(filters, (metric) => variant.figures[metric]?.mean)) return [];
    return [{ standing, variant, figure, ...intervalOf(figure, scatter) }];
  });
  const best = [...Map.groupBy(candidates, ({ standing }) => subjectOf(standing))].map(([subject, of]) => {
    const values = of.map(({ figure }) => figure.mean);
    const value = values.reduce((a, b) => (order === 'desc' ? Math.max(a, b) : Math.min(a, b)));
    return { subject, value, equals: of.filter(({ figure }) => figure.mean === value) };
  });
  return { definition, excluded, entries: new Map(best.map(({ subject, ...entry }) => [subject, entry])) };
}

/**
 * First and last place of an entry among those that stand for their subjects: the first counts those that are surely
 * better, the last those that are not surely worse.
 */
export function placesOf(entry: Candidate, others: readonly Candidate[], order: 'asc' | 'desc'): [number, number] {
  const [low, high] = entry.interval;
  const intervals = others.map(({ interval }) => interval);
  const better = intervals.filter(([l, h]) => (order === 'desc' ? l > high : h < low)).length;
  const notWorse = intervals.filter(([l, h]) => (order === 'desc' ? h >= low : l <= high)).length;
  return [1 + better, notWorse];
}
