import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import type { Alternative, Choice } from '@inferboard/core/ranking/choice';
import {
  askedGroups,
  type ChosenDefinitions,
  chooseGroups,
  groupsOf,
  tellDefinition,
} from '@inferboard/core/ranking/formulas';
import { isWalked } from '@inferboard/core/ranking/walked';
import { allowsWorkload, type ChosenWorkloads, chooseWorkload } from '@inferboard/core/ranking/workload-choice';
import type { Queryable } from '../transaction.ts';
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

/** Which points are ranked, and by what. */
export interface BoardAsking extends Asking {
  /** A formula, or the group of it, that is asked for. */
  definition: string | null;
  /** The group that an earlier page chose: later pages keep it, even after new results. */
  chosen?: string | null;
  /** Metrics that decide between workloads that have as many systems. */
  prefers?: readonly MetricName[];
  /** Whether points left out are counted to the last, however many. */
  countsAll?: boolean;
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
  /** The boards of the first metric that take part, and those that hold every point of their workloads. */
  boards: readonly ListedBoard[];
  /** Whether no metric has more than one formula there. */
  isOnly: boolean;
}

/** Workloads with as many systems as the first of those that the filters let through. */
function levelWithFirst(limits: readonly Alternative[], { filters, dimensions }: BoardAsking): string[] {
  const allowed = limits.filter(({ id }) => allowsWorkload(filters, id));
  const most = Math.max(...allowed.map(({ systems }) => systems));
  // Where each shape has its own workload, those of every number matter.
  const isLevel = ({ systems }: Alternative) => dimensions.includes('scenario') || systems === most;
  const level = allowed.filter(isLevel);
  return level.length < 2 ? [] : level.map(({ id }) => id);
}

/** The choice among workloads whose systems are counted, and of those with as many by the metrics that decide. */
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

/** Workloads by their systems as the directory has them: those with values by several formulas are counted once. */
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

/** Up to this many systems, workloads are chosen by the systems that meet the bounds; beyond, by upper bounds. */
const countedMost = 1000;
/** With this many points, the largest workload answers where no upper bound of systems is known. */
const manyPoints = 250;

/**
 * The workload that answers. Where systems are many, it is the one that has the most of them before bounds are tested, if
 * one of its points meets the bounds: nothing that grows with the data is counted then.
 */
async function settleWorkload(
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

interface Settling extends SettledWorkloads {
  directory: readonly ListedBoard[];
}

/** The workload that answers, and those that take part: itself, or all that are allowed where each is an entry. */
async function settleWorkloads(
  db: Queryable,
  asking: BoardAsking,
  more: readonly MetricName[] = [],
): Promise<Settling> {
  const directory = await readDirectory(db, asking, more);
  const { choice: workload, ids } = await settleWorkload(db, asking, directory);
  const all = directory.filter(({ metric }) => metric === '').map((board) => board.workload);
  return { workload, workloads: ids ?? all.filter((id) => allowsWorkload(asking.filters, id)), directory };
}

/** Systems by the groups of formulas behind their values; of a single group those of its workload. */
async function settleGroups(
  db: Queryable,
  asking: Asking,
  asked: readonly (ChosenDefinitions | null)[],
  { workload, workloads, directory }: Settling,
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
  // The directory has a board for each group of a single metric.
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

/** Chooses the workload and the formulas that answer. */
export async function settleBoard(db: Queryable, asking: BoardAsking): Promise<SettledBoard> {
  const { metrics, definition } = asking;
  const asked = askedGroups(metrics, definition);
  const settling = await settleWorkloads(db, asking);
  const { workload, workloads, directory } = settling;
  const { together, each, isOnly, isAtMost } = await settleGroups(db, asking, asked, settling);
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
      const told = tellDefinition(metric, each[at] ?? new Map(), {
        chosen: chosen[at] ?? null,
        asked: asked[at] ?? null,
      });
      return told !== null && isAtMost ? { ...told, isAtMost: true } : told;
    }),
    isOnly,
  };
}

/** The workload that answers, with its systems and how many of them have each of some metrics. */
export async function settleMetrics(
  db: Queryable,
  asking: BoardAsking,
  metrics: readonly MetricName[],
): Promise<SettledWorkloads & { systems: number; each: number[] }> {
  const { directory, ...settled } = await settleWorkloads(db, asking, metrics);
  const boards = directory.filter(({ workload }) => settled.workloads.includes(workload));
  const all = boards.filter(({ metric }) => metric === '');
  const of = metrics.map((name) => boards.filter(({ metric, systems }) => metric === name && systems > 0));
  const isKnown = isExact(asking) && settled.workload !== null && of.every((each) => each.length <= 1);
  const counted = isKnown
    ? { systems: all[0]?.systems ?? 0, each: of.map(([board]) => board?.systems ?? 0) }
    : await countHaving(db, asking, all, metrics);
  return { ...settled, ...counted };
}
