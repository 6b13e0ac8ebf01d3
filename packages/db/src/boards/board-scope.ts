import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import type { Alternative, Choice } from '@inferboard/core/ranking/choice';
import {
  askedGroups,
  type ChosenDefinitions,
  chooseGroups,
  describeDefinition,
  groupsOf,
} from '@inferboard/core/ranking/formulas';
import { isWalked } from '@inferboard/core/ranking/walked';
import { allowsWorkload, type ChosenWorkloads, chooseWorkload } from '@inferboard/core/ranking/workload-choice';
import type { Queryable } from '../connection/transaction.ts';
import {
  countGroups,
  countHaving,
  countPreferred,
  countTogether,
  countWorkloads,
  type GroupCounts,
  hasPoints,
} from './count-systems.ts';
import { isExact, isLimited, type ListedBoard, limitsOf, readDirectory, type WorkloadLimit } from './directory.ts';
import { type Asking, isCounted, isPlain } from './source.ts';

/** Selects the points to rank and the ranking metric. */
export interface BoardAsking extends Asking {
  /** The requested formula or formula group. */
  definition: string | null;
  /** The group that an earlier page chose. Later pages keep it, even after new results. */
  chosen?: string | null;
  /** Metrics that break ties between workloads with equal numbers of systems. */
  prefers?: readonly MetricName[];
  /** Whether to count all excluded points, without a limit. */
  countsAll?: boolean;
}

export interface WorkloadScope {
  /** The chosen workload; null if no point could be ranked, or if each workload is an entry. */
  workload: Choice | null;
  /** Workloads on the board. */
  workloads: readonly string[];
}

/** The scope of a board, and what it excludes. */
export interface BoardScope extends WorkloadScope {
  /** The compared formulas of each metric; null if it has one formula, or none is recorded. */
  chosen: (ChosenDefinitions | null)[];
  definitions: (Choice | null)[];
  /** The boards of the first metric in scope, and the boards that contain every point of their workloads. */
  boards: readonly ListedBoard[];
  /** Whether every metric has a single formula there. */
  isOnly: boolean;
}

/** Allowed workloads that tie for the most systems. */
function levelWithFirst(limits: readonly Alternative[], { filters, dimensions }: BoardAsking): string[] {
  const allowed = limits.filter(({ id }) => allowsWorkload(filters, id));
  const most = Math.max(...allowed.map(({ systems }) => systems));
  // If each shape has a separate workload, include workloads with any number of systems.
  const isLevel = ({ systems }: Alternative) => dimensions.includes('scenario') || systems === most;
  const level = allowed.filter(isLevel);
  return level.length < 2 ? [] : level.map(({ id }) => id);
}

/** Chooses among workloads with exact counts. The preferred metrics break ties. */
async function chooseCounted(
  db: Queryable,
  asking: BoardAsking,
  { counted, directory }: { counted: readonly Alternative[]; directory: readonly ListedBoard[] },
): Promise<ChosenWorkloads> {
  const { prefers = [] } = asking;
  const workloads = prefers.length === 0 ? [] : levelWithFirst(counted, asking);
  const preferred =
    workloads.length === 0
      ? new Map<string, number>()
      : await countPreferred(db, asking, { workloads, metrics: prefers });
  const whole = new Map(
    directory.filter(({ metric }) => metric === '').map(({ workload, whole: systems }) => [workload, systems]),
  );
  return chooseWorkload(
    counted.map((one) => ({ ...one, preferred: preferred.get(one.id) ?? 0, whole: whole.get(one.id) ?? 0 })),
    asking,
  );
}

/** Workloads with the directory's numbers of systems, corrected for systems with values by several formulas. */
async function countSingly(
  db: Queryable,
  asking: Asking,
  limits: readonly WorkloadLimit[],
): Promise<Alternative[] | null> {
  const several = limits.filter(({ isSingle }) => !isSingle);
  if (several.length === 0) return [...limits];
  const [metric] = asking.metrics;
  const together = several.reduce((sum, { systems }) => sum + systems, 0);
  if (metric === undefined || !isPlain(asking) || together > countedMost) return null;
  const counted = await countTogether(db, asking, {
    metrics: [metric.name],
    workloads: several.map(({ id }) => id),
  });
  return limits.map(({ id, systems }) => ({ id, systems: counted.get(id) ?? systems }));
}

/** Up to this many systems, workloads are chosen by exact counts under the bounds; beyond it, by upper bounds. */
const countedMost = 1000;
/** Minimum points of the largest workload to choose it without an upper bound of its systems. */
const manyPoints = 250;

/**
 * Chooses the workload. With many systems, it chooses the one with the most systems before bounds, if one of its points meets
 * the bounds. That avoids counts whose cost grows with the data.
 */
async function resolveWorkload(
  db: Queryable,
  asking: BoardAsking,
  directory: readonly ListedBoard[],
): Promise<ChosenWorkloads> {
  const { filters, dimensions } = asking;
  if (dimensions.includes('workload')) return { choice: null, ids: null };
  const asked = askedGroups(asking.metrics, asking.definition);
  const isAsked = (group: string) => (asked[0] ?? null) === null || asked[0]?.group === group;
  const limits = limitsOf(directory, asking, isAsked);
  const exact = isExact(asking) ? await countSingly(db, asking, limits) : null;
  if (exact !== null) return chooseCounted(db, asking, { counted: exact, directory });
  const isMany = isCounted(asking) && limits.reduce((sum, { systems }) => sum + systems, 0) > countedMost;
  if (isMany && !dimensions.includes('scenario')) {
    const chosen = chooseWorkload(
      limits.map((limit) => ({ ...limit, preferred: 0, whole: 0 })),
      { filters, dimensions },
    );
    const { choice } = chosen;
    const all = directory.find(({ metric, workload }) => metric === '' && workload === choice?.id);
    const least = isLimited(asking) ? 1 : manyPoints;
    if (choice !== null && all !== undefined)
      if (await hasPoints(db, asking, asked, { workload: choice.id, all: all.id, least }))
        return { ...chosen, choice: { ...choice, isAtMost: true } };
  }
  return chooseCounted(db, asking, { counted: await countWorkloads(db, asking, asked), directory });
}

interface ResolvedWorkloads extends WorkloadScope {
  directory: readonly ListedBoard[];
}

/** Chooses the workload, and the workloads in scope: the chosen one, or all allowed ones if each is an entry. */
async function resolveWorkloads(
  db: Queryable,
  asking: BoardAsking,
  more: readonly MetricName[] = [],
): Promise<ResolvedWorkloads> {
  const directory = await readDirectory(db, asking, more);
  const { choice: workload, ids } = await resolveWorkload(db, asking, directory);
  const all = directory.filter(({ metric }) => metric === '').map((board) => board.workload);
  return { workload, workloads: ids ?? all.filter((id) => allowsWorkload(asking.filters, id)), directory };
}

/** Counts systems by the formula groups of their values. With a single group, uses the count of its workload. */
async function resolveGroups(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  { workload, workloads, directory }: ResolvedWorkloads,
): Promise<GroupCounts & { isOnly: boolean; isAtMost: boolean }> {
  const { metrics } = asking;
  const isAtMost = workload?.isAtMost === true;
  if (metrics.length === 0 || workloads.length === 0) return { together: [], each: [], isOnly: true, isAtMost: false };
  const boardsOf = ({ name }: Metric) =>
    directory.filter((board) => board.metric === name && workloads.includes(board.workload));
  const known = metrics.map((metric) => (isWalked(metric) ? boardsOf(metric) : []));
  const [first] = known;
  if (workload !== null && known.every((boards) => boards.length === 1)) {
    const { systems } = workload;
    const only = known.flat().map(({ group }) => group);
    return {
      together: [{ groups: only, systems }],
      each: only.map((group) => new Map([[group, systems]])),
      isOnly: true,
      isAtMost,
    };
  }
  // The directory has one board for each group of a single metric.
  const isKnown = isExact(asking) || (isAtMost && isLimited(asking));
  if (workload !== null && metrics.length === 1 && first !== undefined && first.length > 0 && isKnown) {
    const there = first.filter(({ systems }) => systems > 0);
    return {
      together: there
        .filter(({ group }) => (asked[0] ?? null) === null || asked[0]?.group === group)
        .map(({ group, systems }) => ({ groups: [group], systems })),
      each: [new Map(there.map(({ group, systems }) => [group, systems]))],
      isOnly: false,
      isAtMost,
    };
  }
  return { ...(await countGroups(db, asking, asked, workloads)), isOnly: false, isAtMost: false };
}

/** Chooses the workload and the formulas of a board. */
export async function resolveScope(db: Queryable, asking: BoardAsking): Promise<BoardScope> {
  const { metrics, definition } = asking;
  const asked = askedGroups(metrics, definition);
  const resolved = await resolveWorkloads(db, asking);
  const { workload, workloads, directory } = resolved;
  const { together, each, isOnly, isAtMost } = await resolveGroups(db, asking, asked, resolved);
  const best = chooseGroups(metrics, together);
  const before = metrics.map((metric) => groupsOf(metric).find(({ group }) => group === asking.chosen));
  const chosen = best.map((group, at) => asked[at] ?? before[at] ?? group);
  const isTaking = ({ metric, group, ...board }: ListedBoard) =>
    workloads.includes(board.workload) &&
    (metric === '' || (metric === metrics[0]?.name && (chosen[0] ?? null) === null) || group === chosen[0]?.group);
  return {
    workload,
    workloads,
    chosen,
    boards: directory.filter(({ metric }) => metric === metrics[0]?.name || metric === '').filter(isTaking),
    definitions: metrics.map((metric, at) => {
      const described = describeDefinition(metric, each[at] ?? new Map(), {
        chosen: chosen[at] ?? null,
        asked: asked[at] ?? null,
      });
      return described !== null && isAtMost ? { ...described, isAtMost: true } : described;
    }),
    isOnly,
  };
}

/** Chooses the workload, and counts its systems and those with each of some metrics. */
export async function resolveMetrics(
  db: Queryable,
  asking: BoardAsking,
  metrics: readonly MetricName[],
): Promise<WorkloadScope & { systems: number; each: number[] }> {
  const { directory, ...scope } = await resolveWorkloads(db, asking, metrics);
  const boards = directory.filter(({ workload }) => scope.workloads.includes(workload));
  const all = boards.filter(({ metric }) => metric === '');
  const of = metrics.map((name) => boards.filter(({ metric, systems }) => metric === name && systems > 0));
  const isKnown = isExact(asking) && scope.workload !== null && of.every((each) => each.length <= 1);
  const counted = isKnown
    ? { systems: all[0]?.systems ?? 0, each: of.map(([board]) => board?.systems ?? 0) }
    : await countHaving(db, asking, all, metrics);
  return { ...scope, ...counted };
}
