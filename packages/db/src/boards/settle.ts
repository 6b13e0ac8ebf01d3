import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import type { Choice } from '@inferboard/core/ranking/choice';
import {
  askedGroups,
  type ChosenDefinitions,
  chooseGroups,
  groupsOf,
  tellDefinition,
} from '@inferboard/core/ranking/formulas';
import { countExcluded, type PointCount } from '@inferboard/core/ranking/point-count';
import { isWalked } from '@inferboard/core/ranking/walked';
import { allowsWorkload, type ChosenWorkloads, chooseWorkload } from '@inferboard/core/ranking/workload-choice';
import { type SQL, sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import { and, pointConditions, someResult } from '../queries/filter-conditions.ts';
import type { Queryable } from '../transaction.ts';
import { countGroups, countUnfiltered, countWorkloads, type GroupCounts, hasMany, isCounted } from './count-systems.ts';
import { countUnpriced } from './count-unpriced.ts';
import { groupOf } from './derive.ts';
import { type Asking, isPlain, joinsOf, sourceOf } from './source.ts';

/** Which points are ranked, and by what. */
export interface BoardAsking extends Asking {
  /** A formula, or the group of it, that is asked for. */
  definition: string | null;
  /** The group that an earlier page chose: later pages keep it, even after new results. */
  chosen?: string | null;
  /** Metrics that decide between workloads that have as many systems. */
  prefers?: readonly MetricName[];
}

export interface SettledWorkloads {
  /** The one that answers; null where nothing could be ranked, or where each workload is an entry. */
  workload: Choice | null;
  /** Workloads that take part. */
  workloads: readonly string[];
}

/** What a board holds to, and what it leaves out. */
export interface SettledBoard extends SettledWorkloads {
  /** Of each metric the formulas that are compared; null where it has one formula, or none is recorded. */
  chosen: (ChosenDefinitions | null)[];
  definitions: (Choice | null)[];
  /** Points left out, by reason. */
  excluded: Record<string, number>;
}

/** True for rows by formulas that are compared. */
export function comparedWith(metrics: readonly Metric[], chosen: readonly (ChosenDefinitions | null)[]): SQL {
  return and(
    metrics.flatMap(({ family }, at) => {
      const group = chosen[at]?.group;
      if (group === undefined) return [];
      return [sql`${at === 0 ? sql`r.definition_group` : groupOf(family, sql`t`)} = ${group}`];
    }),
  );
}

/** Points in question, as boards count them: all of a kind in some workloads that are of what filters ask for. */
async function readCounts(db: Queryable, asking: Asking, workloads: readonly string[]): Promise<PointCount[]> {
  const { kind, filters, metrics } = asking;
  const { workload: _, regime: _r, ...facts } = filters;
  const ofSenders = someResult(filters, metrics[0]);
  const conditions = pointConditions(facts);
  if (conditions.length === 0 && ofSenders.length === 0)
    return (await db.execute(sql`
      select c.workload, c.status, c.trust, c.unnamed, h.shape, null as variants, c.points
      from board_totals c join point_shapes h on h.id = c.shape_id
      where c.kind = ${kind} and c.workload = any(${texts(workloads)}) and c.points > 0`)) as unknown as PointCount[];
  const sent =
    ofSenders.length === 0
      ? sql`null::int[]`
      : sql`(
        select array_agg(t.variant::int order by t.variant) from point_statistics t
        where t.point_id = c.point_id and t.status = c.status and t.stands and ${and(ofSenders)})`;
  const asked = ofSenders.length === 0 ? sql`true` : sql`q.variants is not null`;
  return (await db.execute(sql`
    select q.workload, q.status, q.trust, q.unnamed, h.shape, q.variants, q.points
    from (
      select workload, status, trust, unnamed, shape_id, variants, count(*)::int as points
      from (
        select c.workload, c.status, c.trust, c.unnamed, c.shape_id, ${sent} as variants
        from board_points c ${joinsOf(filters, sql`c`)}
        where c.kind = ${kind} and c.workload = any(${texts(workloads)}) and ${and(conditions)}) q
      where ${asked}
      group by 1, 2, 3, 4, 5, 6) q
    join point_shapes h on h.id = q.shape_id`)) as unknown as PointCount[];
}

/** Points that meet everything but have the metrics by other formulas. */
async function countOtherFormulas(
  db: Queryable,
  asking: Asking,
  { workloads, chosen }: Pick<SettledBoard, 'workloads' | 'chosen'>,
): Promise<number> {
  if (chosen.every((group) => group === null)) return 0;
  const source = sourceOf(asking);
  const [found] = (await db.execute(sql`
    select count(*)::int as points from (
      select r.point_id, r.status from ${source.from}
      where ${and([...source.where, sql`r.workload = any(${texts(workloads)})`])}
      group by 1, 2
      having not bool_or(${comparedWith(asking.metrics, chosen)})) q`)) as unknown as { points: number }[];
  return found?.points ?? 0;
}

/**
 * The workload that answers. Where many points of the largest one meet the filters, it does: systems are not counted under
 * bounds that nobody asked for before.
 */
async function settleWorkload(
  db: Queryable,
  asking: BoardAsking,
  asked: readonly (ChosenDefinitions | null)[],
): Promise<ChosenWorkloads> {
  const { filters, dimensions, prefers = [] } = asking;
  if (dimensions.includes('workload')) return { choice: null, ids: null };
  const isSimple = isPlain(asking) && asking.metrics.length <= 1;
  if (!isSimple && isCounted(asking) && !dimensions.includes('scenario')) {
    const largest = chooseWorkload(await countUnfiltered(db, asking, asked), { filters, dimensions });
    const { choice } = largest;
    if (choice !== null && (await hasMany(db, asking, asked, choice.id)))
      return { ...largest, choice: { ...choice, isAtMost: true } };
  }
  return chooseWorkload(await countWorkloads(db, asking, asked, prefers), { filters, dimensions });
}

/** All workloads of a kind that the filters let through. */
async function allowedWorkloads(db: Queryable, { kind, filters }: Asking): Promise<string[]> {
  const rows = (await db.execute(sql`
    select distinct workload from boards where metric = '' and kind = ${kind}`)) as unknown as { workload: string }[];
  return rows.map(({ workload }) => workload).filter((id) => allowsWorkload(filters, id));
}

/** The workload that answers, and those that take part: itself, or all that are allowed where each is an entry. */
export async function settleWorkloads(db: Queryable, asking: BoardAsking): Promise<SettledWorkloads> {
  const asked = askedGroups(asking.metrics, asking.definition);
  const { choice: workload, ids } = await settleWorkload(db, asking, asked);
  return { workload, workloads: ids ?? (await allowedWorkloads(db, asking)) };
}

/** The group of each metric, where there are no more than one of each and systems need not be counted; else null. */
async function findOnlyGroups(db: Queryable, asking: Asking, workloads: readonly string[]): Promise<string[] | null> {
  const { metrics, kind } = asking;
  if (!metrics.every(isWalked)) return null;
  const names = metrics.map(({ name }) => name);
  const rows = (await db.execute(sql`
    select distinct metric, definition_group as id from boards
    where metric = any(${texts(names)}) and kind = ${kind} and workload = any(${texts(workloads)})`)) as unknown as {
    metric: string;
    id: string;
  }[];
  const groups = names.map((name) => rows.filter(({ metric }) => metric === name).map(({ id }) => id));
  return groups.every((of) => of.length === 1) ? groups.flat() : null;
}

/** Systems by the groups of formulas behind their values; of a single group those of its workload. */
async function settleGroups(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  { workload, workloads }: SettledWorkloads,
): Promise<GroupCounts & { isOnly: boolean }> {
  if (asking.metrics.length === 0 || workloads.length === 0) return { together: [], each: [], isOnly: true };
  const only = workload === null ? null : await findOnlyGroups(db, asking, workloads);
  if (only === null || workload === null)
    return { ...(await countGroups(db, asking, asked, workloads)), isOnly: false };
  const { systems } = workload;
  return {
    together: [{ groups: only, systems }],
    each: only.map((group) => new Map([[group, systems]])),
    isOnly: true,
  };
}

/** Chooses the workload and the formulas that answer, and counts the points that are left out. */
export async function settleBoard(db: Queryable, asking: BoardAsking): Promise<SettledBoard> {
  const { metrics, filters, dimensions, definition } = asking;
  const asked = askedGroups(metrics, definition);
  const { workload, workloads } = await settleWorkloads(db, asking);
  const { together, each, isOnly } = await settleGroups(db, asking, asked, { workload, workloads });
  const best = chooseGroups(metrics, together);
  const before = metrics.map((metric) => groupsOf(metric).find(({ group }) => group === asking.chosen));
  const chosen = best.map((group, at) => asked[at] ?? before[at] ?? group);
  // A GPU without a price is a reason of its own, beside those that hold whatever is ranked.
  const counts = await readCounts(db, { ...asking, filters: { ...filters, prices: undefined } }, workloads);
  const counted = countExcluded(counts, { metrics, filters, dimensions }, chosen);
  const excluded = { ...counted, ...(await countUnpriced(db, asking, workloads, comparedWith(metrics, chosen))) };
  const isOther = filters.bounds.length > 0 && !isOnly;
  const others = isOther ? await countOtherFormulas(db, asking, { workloads, chosen }) : 0;
  return {
    workload,
    workloads,
    chosen,
    definitions: metrics.map((metric, at) => {
      const told = tellDefinition(metric, each[at] ?? new Map(), {
        chosen: chosen[at] ?? null,
        asked: asked[at] ?? null,
      });
      return told !== null && isOnly && workload?.isAtMost === true ? { ...told, isAtMost: true } : told;
    }),
    excluded: others === 0 ? excluded : { ...excluded, other_definition: others },
  };
}
