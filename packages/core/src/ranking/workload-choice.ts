import type { Filters } from '../filters/filters.ts';
import { parseWorkload } from '../workloads/workload-id.ts';
import { byId, bySystems, type Choice } from './choice.ts';
import { countSystems } from './count-systems.ts';
import type { PointTable } from './point-table.ts';
import type { Dimension } from './subject.ts';

/** What filters say of workloads. A scenario is a shape. */
type Asked = Pick<Filters, 'workload' | 'regime' | 'scenario'>;

/** Whether filters let a workload through, by its id. */
export function allowsWorkload({ workload, regime, scenario }: Asked, id: string): boolean {
  const { shape, regime: own } = parseWorkload(id);
  return (
    (workload === undefined || workload.some((asked) => asked === id || asked === shape)) &&
    (regime === undefined || (own !== null && regime.includes(own))) &&
    (scenario === undefined || scenario.includes(shape))
  );
}

export interface ChosenWorkloads {
  /** The one that is ranked; null where each shape or each workload stands for itself, and where there is none. */
  choice: Choice | null;
  /** 1 for each workload that takes part. */
  passes: Uint8Array;
}

/**
 * The workload that answers: of those that the filters let through the one with the most systems, by id where several
 * have as many. Where shapes are told apart, each has its own regime; where workloads are, all take part.
 *
 * @param rows rows that could be ranked, of any workload
 */
export function chooseWorkload(
  table: PointTable,
  rows: Int32Array,
  { filters, dimensions }: { filters: Asked; dimensions: readonly Dimension[] },
): ChosenWorkloads {
  const { workload, workloads } = table;
  const allowed = Uint8Array.from(workloads, (id) => Number(allowsWorkload(filters, id)));
  if (dimensions.includes('workload')) return { choice: null, passes: allowed };
  const counts = countSystems(table, rows, (row) => workload[row] as number, workloads.length);
  const counted = workloads.map((id, code) => ({
    id,
    systems: counts[code] as number,
    isAllowed: allowed[code] === 1,
  }));
  const there = bySystems(counted, byId);
  const rankable = bySystems(
    counted.filter(({ isAllowed }) => isAllowed),
    byId,
  );
  const passing = (ids: ReadonlySet<string>) => Uint8Array.from(workloads, (id) => Number(ids.has(id)));
  if (dimensions.includes('scenario')) {
    const firstOfShape = new Map(rankable.toReversed().map(({ id }) => [parseWorkload(id).shape, id]));
    return { choice: null, passes: passing(new Set(firstOfShape.values())) };
  }
  const [first] = rankable;
  // Nothing could be ranked: what is left out is counted over all that was asked for.
  if (first === undefined) return { choice: null, passes: allowed };
  const because = filters.workload?.length === 1 && filters.workload[0] === first.id ? 'asked' : 'most_systems';
  const others = there.filter(({ id }) => id !== first.id).map(({ id, systems }) => ({ id, systems }));
  return { choice: { id: first.id, systems: first.systems, because, others }, passes: passing(new Set([first.id])) };
}
