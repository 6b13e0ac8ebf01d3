import {
  answersOf,
  type Filters,
  meetsBounds,
  meetsFacts,
  meetsOriginOf,
  meetsStatus,
  meetsTrust,
  meetsWorkload,
  workloadOf,
} from './filters.ts';
import { definitionsOf, familyOf, type Standing, type Variant } from './points.ts';

export interface CensusQuestion {
  kind: string;
  /** Metrics that a point must have, each with comparable definitions. */
  metrics: readonly string[];
  filters: Filters;
  /** A group of definitions, or one of them. */
  definition: string | null;
  /** The subject of a board, or the row and column of a matrix. */
  dimensions: readonly string[];
  /** Metrics that break ties between workloads with the same number of systems. */
  prefers?: readonly string[];
}

export interface Alternative {
  id: string;
  systems: number;
}

/** A participating point, with its variants that meet all conditions. */
export interface Taking {
  standing: Standing;
  variants: Variant[];
}

export interface Census {
  /** Null if each has a different one, or if there is none. */
  workload: Alternative | null;
  workloadOthers: Alternative[];
  /** The compared group of each metric. */
  groups: (string | null)[];
  groupOthers: Alternative[][];
  excluded: Record<string, number>;
  taking: Taking[];
  /** Points of all workloads with the requested formulas. */
  matching: Taking[];
}

export function groupOf(metric: string, variant: Variant): string | null {
  const { base } = familyOf(metric);
  return definitionsOf(base).find(({ id }) => id === variant.definitions[base])?.group ?? null;
}

const groupsOf = (metric: string) => [...new Set(definitionsOf(familyOf(metric).base).map(({ group }) => group))];

/** Groups with the most systems first; ties keep their order. */
function bySystems(taking: readonly Taking[], keysOf: (taking: Taking) => readonly string[], order: readonly string[]) {
  const counted = order.map((id) => {
    const having = taking.filter((one) => keysOf(one).includes(id));
    return { id, systems: new Set(having.map(({ standing }) => standing.first.systemId)).size };
  });
  return counted.filter(({ systems }) => systems > 0).sort((a, b) => b.systems - a.systems);
}

const ofSystems = ['system', 'model', 'model_family', 'gpu', 'gpu_count'];
const isUnspecified = (fact: { text: string }) => fact.text === 'unspecified';

/** A fact that the board needs and the system leaves unspecified. */
function unnamed({ first: { facts } }: Standing, { dimensions, filters }: CensusQuestion): string | null {
  const needsAll = filters.account?.length !== 1 || dimensions.some((dimension) => ofSystems.includes(dimension));
  if (needsAll && isUnspecified(facts.model)) return 'unspecified_model';
  if (needsAll && isUnspecified(facts.gpu)) return 'unspecified_gpu';
  const needsQuantization = needsAll || dimensions.includes('quantization');
  return needsQuantization && isUnspecified(facts.quantization) ? 'unspecified_quantization' : null;
}

/** The variants of a point that match the filters and have every metric of the query. */
function completeVariants(standing: Standing, { metrics, filters }: CensusQuestion): Variant[] {
  const hasFigure = ({ figures }: Variant, metric: string) => figures[metric] !== undefined;
  return standing.variants.filter(
    (variant) =>
      metrics.every((metric) => hasFigure(variant, metric)) &&
      filters.bounds.every((bound) => answersOf(bound).some((metric) => hasFigure(variant, metric))) &&
      meetsOriginOf(filters, standing, variant, metrics[0] ?? null),
  );
}

/** Why a matching point does not participate; null if it does. Only the first reason is reported. */
function reasonOut(standing: Standing, question: CensusQuestion): string | null {
  const { filters } = question;
  if (!meetsStatus(filters, standing.status)) return standing.status;
  if (!meetsTrust(filters, standing.trust)) return 'below_trust';
  return unnamed(standing, question) ?? (completeVariants(standing, question).length === 0 ? 'missing_metric' : null);
}

/** The group that `definition` selects for each metric; null for a metric without it. */
function askedGroups({ metrics, definition }: CensusQuestion): (string | null)[] {
  return metrics.map((metric) => {
    if (definition === null) return null;
    const all = definitionsOf(familyOf(metric).base);
    const named = all.find(({ group }) => group === definition) ?? all.find(({ id }) => id === definition);
    return named?.group ?? null;
  });
}

/** Steady loads first, then burst, offline and unspecified, then by name. */
function inOrder(one: string, other: string): number {
  const placeOf = (id: string) => {
    const place = ['steady', 'burst', 'offline', 'unspecified'].findIndex((regime) => id.endsWith(`-${regime}`));
    return place === -1 ? 4 : place;
  };
  return placeOf(one) - placeOf(other) || (one < other ? -1 : 1);
}

/** All ranked systems of a workload: with accepted points, and with every fact stated. */
function wholeIn(standings: readonly Standing[], kind: string): (id: string) => number {
  const filters: Filters = { bounds: [], include: [] };
  const question: CensusQuestion = { kind, metrics: [], definition: null, dimensions: ['system'], filters };
  const ranking = standings.filter(
    (standing) =>
      standing.first.kind === kind &&
      standing.status === 'accepted' &&
      standing.variants.length > 0 &&
      unnamed(standing, question) === null,
  );
  const systems = Map.groupBy(ranking, ({ first }) => workloadOf(first));
  return (id) => new Set(systems.get(id)?.map(({ first }) => first.systemId)).size;
}

/** The participating workloads: one; one regime of each shape if the subject includes the shape; all if it is the workload. */
function chooseWorkloads(
  taking: readonly Taking[],
  { filters, dimensions, prefers = [] }: CensusQuestion,
  wholeOf: (id: string) => number,
) {
  const ids = [...new Set(taking.map(({ standing }) => workloadOf(standing.first)))].sort(inOrder);
  const byWhole = ids.toSorted((one, other) => wholeOf(other) - wholeOf(one));
  const all = bySystems(taking, ({ standing }) => [workloadOf(standing.first)], ids);
  const allowed = taking.filter(({ standing }) => meetsWorkload(filters, standing.first));
  const isPreferred = ({ variants }: Taking) =>
    variants.some((variant) => prefers.some((metric) => variant.figures[metric] !== undefined));
  const byPreference = bySystems(allowed.filter(isPreferred), ({ standing }) => [workloadOf(standing.first)], byWhole);
  const order = [...new Set([...byPreference.map(({ id }) => id), ...byWhole])];
  const rankable = bySystems(allowed, ({ standing }) => [workloadOf(standing.first)], order);
  const isAny = (standing: Standing) => meetsWorkload(filters, standing.first);
  if (dimensions.includes('workload')) return { workload: null, others: [], isIn: isAny };
  if (dimensions.includes('scenario')) {
    const shapeOf = (id: string) =>
      allowed.find(({ standing }) => workloadOf(standing.first) === id)?.standing.first.scenario.id;
    const firsts = rankable.filter(
      ({ id }, place) => rankable.findIndex((one) => shapeOf(one.id) === shapeOf(id)) === place,
    );
    return {
      workload: null,
      others: [],
      isIn: ({ first }: Standing) => firsts.some(({ id }) => id === workloadOf(first)),
    };
  }
  const [workload = null] = rankable;
  return {
    workload,
    others: all.filter(({ id }) => id !== workload?.id),
    isIn: workload === null ? isAny : ({ first }: Standing) => workloadOf(first) === workload.id,
  };
}

/** The groups that the most systems share; recorded definitions come before unrecorded ones. */
function chooseGroups(taking: readonly Taking[], metrics: readonly string[]): (string | null)[] {
  const combinations = metrics.reduce<(string | null)[][]>(
    (all, metric) => all.flatMap((one) => [null, ...groupsOf(metric)].map((group) => [...one, group])),
    [[]],
  );
  const recorded = (groups: (string | null)[]) => groups.filter((group) => group !== null).length;
  const ordered = combinations.toSorted((a, b) => recorded(b) - recorded(a)).map((groups) => JSON.stringify(groups));
  const keysOf = ({ variants }: Taking) =>
    variants.map((variant) => JSON.stringify(metrics.map((metric) => groupOf(metric, variant))));
  const [best] = bySystems(taking, keysOf, ordered).sort(
    (a, b) => recorded(JSON.parse(b.id)) - recorded(JSON.parse(a.id)) || b.systems - a.systems,
  );
  return best === undefined ? metrics.map(() => null) : (JSON.parse(best.id) as (string | null)[]);
}

/** Classifies each point: participating in the ranking, or the reason why not. */
export function takeCensus(standings: readonly Standing[], question: CensusQuestion): Census {
  const { kind, metrics, filters } = question;
  const { workload: _, regime: _r, scenario: _s, ...plain } = filters;
  const asked = standings.filter(
    (standing) =>
      standing.first.kind === kind &&
      meetsFacts(plain, standing.first) &&
      (standing.variants.length > 0 || standing.status === 'not_repetitions') &&
      standing.variants.some((variant) => meetsOriginOf(filters, standing, variant, metrics[0] ?? null)),
  );
  const met = asked
    .filter((standing) => reasonOut(standing, question) === null)
    .map((standing) => ({
      standing,
      variants: completeVariants(standing, question).filter((variant) =>
        meetsBounds(filters, (metric) => variant.figures[metric]?.mean),
      ),
    }))
    .filter(({ variants }) => variants.length > 0);
  const wanted = askedGroups(question);
  const having = (groups: (string | null)[], all: readonly Taking[]) =>
    all
      .map(({ standing, variants }) => ({
        standing,
        variants: variants.filter((variant) =>
          groups.every((group, at) => group === null || groupOf(metrics[at] ?? '', variant) === group),
        ),
      }))
      .filter(({ variants }) => variants.length > 0);
  const matching = having(wanted, met);
  const { workload, others, isIn } = chooseWorkloads(matching, question, wholeIn(standings, kind));
  const here = met.filter(({ standing }) => isIn(standing));
  const best = chooseGroups(having(wanted, here), metrics);
  const groups = best.map((group, at) => wanted[at] ?? group);
  const taking = having(groups, here);

  const excluded: Record<string, number> = {};
  const leaveOut = (reason: string) => {
    excluded[reason] = (excluded[reason] ?? 0) + 1;
  };
  for (const standing of asked.filter(isIn)) {
    const reason = reasonOut(standing, question);
    if (reason !== null) leaveOut(reason);
  }
  for (const { standing } of here) if (!taking.some((one) => one.standing === standing)) leaveOut('other_definition');
  return {
    workload,
    workloadOthers: others,
    groups,
    groupOthers: metrics.map((metric, at) =>
      bySystems(here, ({ variants }) => variants.flatMap((one) => groupOf(metric, one) ?? []), groupsOf(metric)).filter(
        ({ id }) => id !== groups[at],
      ),
    ),
    excluded,
    taking,
    matching,
  };
}
