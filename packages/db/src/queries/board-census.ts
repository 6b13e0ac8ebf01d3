import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';
import { and, pointConditions, someResult, statusCondition, trustCondition } from './filter-conditions.ts';

/** What points are ranked by, and of which. */
interface CensusQuestion {
  rankBy: Metric;
  filters: Filters;
}

/** Where rankings read: with the aliases of filter-conditions.ts. */
export const pointSource = sql`
  from point_statistics t
  join points p on p.id = t.point_id
  join systems s on s.id = p.system_id
  join scenarios sc on sc.id = p.scenario_id`;

interface Census {
  status: string;
  trusted: boolean;
  /** Formulas by which the points have all metrics in question, in no order, '' for none; null: they have not. */
  definitions: string[] | null;
  points: string;
}

/** Formulas whose values may be ranked together. */
interface ChosenDefinitions {
  group: string;
  ids: string[];
}

/** The metrics a row must have to take part: the ranked one and those with a bound. */
export function neededColumns({ rankBy, filters }: CensusQuestion): SQL[] {
  const names = new Set([rankBy.name, ...filters.bounds.map((bound) => bound.metric)]);
  return [...names].map((name) => sql`t.${sql.identifier(name)}`);
}

/** Counts the points in question, each once for each standing, by everything that may leave one out. */
async function takeCensus(db: Queryable, question: CensusQuestion): Promise<Census[]> {
  const { rankBy, filters } = question;
  const isComplete = and(neededColumns(question).map((column) => sql`${column} is not null`));
  return (await db.execute(sql`
    select status, trusted, definitions, count(*) as points
    from (
      select t.status, bool_or(${trustCondition(filters)}) as trusted,
        array_agg(coalesce(t.definitions ->> ${rankBy.family.base}, ''))
          filter (where ${isComplete}) as definitions
      ${pointSource}
      where p.kind = ${rankBy.family.kind} and ${and([...pointConditions(filters), ...someResult(filters, rankBy)])}
      group by t.point_id, t.status
    ) point
    group by 1, 2, 3`)) as unknown as Census[];
}

/** Why a counted group of points does not rank, or null if it does. The first reason that holds is the one told. */
function reasonOut(group: Census, { filters }: CensusQuestion, definitionIds: readonly string[] | null): string | null {
  const { include } = filters;
  if (group.status === 'quarantined' && !include.includes('quarantined')) return 'quarantined';
  if (group.status === 'retracted' && !include.includes('retracted')) return 'retracted';
  if (!group.trusted) return 'below_trust';
  if (group.definitions === null) return 'missing_metric';
  if (definitionIds !== null && !group.definitions.some((id) => definitionIds.includes(id))) return 'other_definition';
  return null;
}

/** The preferred group of definitions that any eligible point has; values of the others are not comparable with it. */
function chooseDefinitions(census: Census[], question: CensusQuestion): ChosenDefinitions | null {
  const { definitions } = question.rankBy.family;
  const eligible = census.filter((group) => reasonOut(group, question, null) === null);
  const present = new Set(eligible.flatMap((group) => group.definitions ?? []));
  const preferred = definitions.find((definition) => present.has(definition.id));
  if (preferred === undefined) return null;
  const ids = definitions.filter(({ group }) => group === preferred.group).map(({ id }) => id);
  return { group: preferred.group, ids };
}

/**
 * Which formulas a ranking is of, null where the metric has one; and the points that it leaves out, by reason. Points
 * that merely miss a bound are not what was asked for, and not counted.
 */
export async function surveyPoints(
  db: Queryable,
  question: CensusQuestion,
): Promise<{ chosen: ChosenDefinitions | null; excluded: Record<string, number> }> {
  const census = await takeCensus(db, question);
  const chosen = chooseDefinitions(census, question);
  const excluded: Record<string, number> = {};
  for (const group of census) {
    const reason = reasonOut(group, question, chosen?.ids ?? null);
    if (reason !== null) excluded[reason] = (excluded[reason] ?? 0) + Number(group.points);
  }
  return { chosen, excluded };
}

/** Conditions on the rows that take part, but for the bounds: a point is held against those by its first such row. */
export function takesPart(question: CensusQuestion, chosen: ChosenDefinitions | null): SQL[] {
  const { rankBy, filters } = question;
  const conditions = [
    sql`p.kind = ${rankBy.family.kind}`,
    ...neededColumns(question).map((column) => sql`${column} is not null`),
    statusCondition(filters),
    trustCondition(filters),
    ...pointConditions(filters),
    ...someResult(filters, rankBy),
  ];
  if (chosen === null) return conditions;
  const ids = sql.join(
    chosen.ids.map((id) => sql`${id}`),
    sql`, `,
  );
  return [...conditions, sql`t.definitions ->> ${rankBy.family.base} in (${ids})`];
}
