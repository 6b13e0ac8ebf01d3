import { assumedInterval, type PooledCv, pooledCv } from '../../packages/core/src/statistics/pooled-cv.ts';
import { type Alternative, type Census, groupOf, takeCensus } from './census.ts';
import { type Filters, meetsWorkload, workloadOf } from './filters.ts';
import { type Figure, familyOf, type Standing, type Variant } from './points.ts';

export interface BoardQuestion {
  rankBy: string;
  order: 'asc' | 'desc';
  filters: Filters;
  /** A group of definitions, or one of them. */
  definition: string | null;
  dimensions: readonly string[];
  /** The subject: a string that is the same for equal subjects. */
  subjectOf: (standing: Standing) => string;
  /** The row and the column of a matrix, which is of the workload that compares the most cells. */
  sidesOf?: (standing: Standing) => [row: string, column: string];
}

/** A participating point and its ranking value. */
export interface Candidate {
  standing: Standing;
  variant: Variant;
  figure: Figure;
  interval: [number, number];
  assumed: PooledCv | null;
}

export interface Entry {
  value: number;
  /** The points with the best value of the subject; any of them can represent it. */
  equals: Candidate[];
}

export interface Board {
  workload: Alternative | null;
  workloadOthers: Alternative[];
  definition: string | null;
  definitionOthers: Alternative[];
  excluded: Record<string, number>;
  entries: Map<string, Entry>;
}

/** Scatter of each tool's repeated points, independent of the filters: accepted points of a single tool in this group. */
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

/** The ranking interval of a value: its own, the tool's for a single measurement, else none. */
function intervalOf(figure: Figure, scatter: ReadonlyMap<string, PooledCv>): Pick<Candidate, 'interval' | 'assumed'> {
  if (figure.ci95 !== null) return { interval: figure.ci95, assumed: null };
  const tools = figure.n === 1 ? [...new Set(figure.behind.map(({ tool }) => tool))] : [];
  const assumptions = tools.flatMap((tool) => scatter.get(tool) ?? []);
  const widest = assumptions.toSorted((a, b) => assumedInterval(1, b)[1] - assumedInterval(1, a)[1])[0];
  return widest === undefined
    ? { interval: [figure.mean, figure.mean], assumed: null }
    : { interval: assumedInterval(figure.mean, widest), assumed: widest };
}

/** Number of workloads whose cells are counted. */
const countedMax = 21;

/** The workload with the most cells that have another cell in their row and column, then the most cells, then the most systems. */
function fullestOf(census: Census, filters: Filters, sidesOf: NonNullable<BoardQuestion['sidesOf']>): string | null {
  const pairsOf = (id: string) => {
    const own = census.matching.filter(
      ({ standing: { first } }) => workloadOf(first) === id && meetsWorkload(filters, first),
    );
    return [...new Map(own.map(({ standing }) => [JSON.stringify(sidesOf(standing)), sidesOf(standing)])).values()];
  };
  const counted = [census.workload, ...census.workloadOthers].flatMap((one) => {
    const pairs = one === null ? [] : pairsOf(one.id);
    const isCompared = ([row, column]: [string, string]) =>
      pairs.some(([r, c]) => r === row && c !== column) && pairs.some(([r, c]) => c === column && r !== row);
    return one === null || pairs.length === 0
      ? []
      : [{ id: one.id, cells: pairs.length, compared: pairs.filter(isCompared).length }];
  });
  return counted.slice(0, countedMax).sort((a, b) => b.compared - a.compared || b.cells - a.cells)[0]?.id ?? null;
}

/** Each subject's best point of one workload under the constraints. */
export function toBoard(standings: readonly Standing[], question: BoardQuestion): Board {
  const { rankBy, order, subjectOf, sidesOf, filters } = question;
  const asking = { ...question, kind: familyOf(rankBy).kind, metrics: [rankBy] };
  const first = takeCensus(standings, asking);
  const fullest = sidesOf === undefined || first.workload === null ? null : fullestOf(first, filters, sidesOf);
  const { workload, workloadOthers, groups, groupOthers, excluded, taking } =
    fullest === null || fullest === first.workload?.id
      ? first
      : takeCensus(standings, { ...asking, filters: { ...filters, scenario: undefined, workload: [fullest] } });
  const definition = groups[0] ?? null;
  const scatter = scatterByTool(standings, rankBy, definition);
  const candidates = taking.flatMap(({ standing, variants }): Candidate[] => {
    // The first definition: a point with two definitions cannot use the better one.
    const [variant] = variants;
    const figure = variant?.figures[rankBy];
    return variant === undefined || figure === undefined
      ? []
      : [{ standing, variant, figure, ...intervalOf(figure, scatter) }];
  });
  const best = [...Map.groupBy(candidates, ({ standing }) => subjectOf(standing))].map(([subject, of]) => {
    const values = of.map(({ figure }) => figure.mean);
    const value = values.reduce((a, b) => (order === 'desc' ? Math.max(a, b) : Math.min(a, b)));
    const equals = of.filter(({ figure }) => figure.mean === value);
    const undisputed = equals.filter(({ standing }) => !standing.isDisputed);
    return { subject, value, equals: undisputed.length > 0 ? undisputed : equals };
  });
  return {
    workload,
    workloadOthers,
    definition,
    definitionOthers: groupOthers[0] ?? [],
    excluded,
    entries: new Map(best.map(({ subject, ...entry }) => [subject, entry])),
  };
}

/**
 * First and last place of an entry among those that represent their subjects. The first counts entries that are certainly better,
 * the last those that are not certainly worse.
 */
export function placesOf(entry: Candidate, others: readonly Candidate[], order: 'asc' | 'desc'): [number, number] {
  const [low, high] = entry.interval;
  const intervals = others.map(({ interval }) => interval);
  const better = intervals.filter(([l, h]) => (order === 'desc' ? l > high : h < low)).length;
  const notWorse = intervals.filter(([l, h]) => (order === 'desc' ? h >= low : l <= high)).length;
  return [1 + better, notWorse];
}

/** The default ranking metric: the first that three of five systems have, else the one that most have. */
const preferredRanks = ['output_tok_s_per_gpu', 'output_tok_s', 'decode_tok_s', 'user_tok_s', 'req_s'];

export interface DefaultRank {
  rankBy: string | null;
  others: Alternative[];
  workload: Alternative | null;
  workloadOthers: Alternative[];
}

/** The workload with the most systems under the filters, and its ranking metric. */
export function defaultRank(
  standings: readonly Standing[],
  { filters, dimensions }: Pick<BoardQuestion, 'filters' | 'dimensions'>,
): DefaultRank {
  for (const kind of ['serving', 'kernel', 'training']) {
    const question = { kind, metrics: [], filters, dimensions, definition: null, prefers: preferredRanks };
    const { taking, workload, workloadOthers } = takeCensus(standings, question);
    if (taking.length === 0) continue;
    const systemsOf = (metric: string | null) =>
      new Set(
        taking
          .filter(({ variants }) => metric === null || variants.some((one) => one.figures[metric] !== undefined))
          .map(({ standing }) => standing.first.systemId),
      ).size;
    const counted = preferredRanks.map((id) => ({ id, systems: systemsOf(id) }));
    const most = Math.max(...counted.map(({ systems }) => systems));
    const found =
      counted.find(({ systems }) => systems >= 0.6 * systemsOf(null)) ??
      counted.find(({ systems }) => systems === most && most > 0);
    return {
      rankBy: found?.id ?? null,
      others: counted.filter((one) => one !== found && one.systems > 0),
      workload,
      workloadOthers,
    };
  }
  return { rankBy: null, others: [], workload: null, workloadOthers: [] };
}
