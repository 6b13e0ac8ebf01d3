import type { Filters } from '../filters/filters.ts';
import type { MetricName } from '../metrics/index.ts';
import { parseWorkload } from '../workloads/workload-id.ts';
import { byId, bySystems, type Choice } from './choice.ts';
import { countSystems } from './count-systems.ts';
import type { PointTable } from './point-table.ts';
import type { Dimension } from './subject.ts';

/** What filters say of workloads. */
type Asked = Pick<Filters, 'workload' | 'regime'>;

/** Whether filters let a workload through, by its id. */
export function allowsWorkload({ workload, regime }: Asked, id: string): boolean {
  const { shape, regime: own } = parseWorkload(id);
  return (
    (workload === undefined || workload.some((asked) => asked === id || asked === shape)) &&
    (regime === undefined || (own !== null && regime.includes(own)))
  );
}

/** What is asked for, and which metrics decide between workloads that have as many systems. */
interface Asking {
  filters: Asked;
  dimensions: readonly Dimension[];
  prefers: readonly MetricName[];
}

export interface ChosenWorkloads {
  /** The one that is ranked; null where each shape or each workload stands for itself, and where there is none. */
  choice: Choice | null;
  /** 1 for each workload that takes part. */
  passes: Uint8Array;
}

/**
 * The workload that answers: of those that the filters let through the one with the most systems; of several that have as
 * many the one with the most systems that have a preferred metric, then the first by id. Where shapes are told apart, each has its own regime; where workloads are, all take part.
 *
 * @param rows rows that could be ranked, of any workload
 */
export function chooseWorkload(
  table: PointTable,
  rows: Int32Array,
  { filters, dimensions, prefers }: Asking,
): ChosenWorkloads {
  const { workload, workloads } = table;
  const allowed = Uint8Array.from(workloads, (id) => Number(allowsWorkload(filters, id)));
  if (dimensions.includes('workload')) return { choice: null, passes: allowed };
  const count = (of: Int32Array) => countSystems(table, of, (row) => workload[row] as number, workloads.length);
  const counts = count(rows);
  const columns = prefers.map((metric) => table.values(metric));
  const preferred = count(rows.filter((row) => columns.some((values) => !Number.isNaN(values[row]))));
  const counted = workloads.map((id, code) => ({
    id,
    systems: counts[code] as number,
    preferred: preferred[code] as number,
    isAllowed: allowed[code] === 1,
  }));
  const there = bySystems(counted, byId);
  const rankable = bySystems(
    counted.filter(({ isAllowed }) => isAllowed),
    (a, b) => b.preferred - a.preferred || byId(a, b),
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
