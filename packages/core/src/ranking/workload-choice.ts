import type { Filters } from '../filters/filters.ts';
import { regimes } from '../workloads/regime.ts';
import { parseWorkload } from '../workloads/workload-id.ts';
import { type Alternative, byId, bySystems, type Choice } from './choice.ts';
import type { Dimension } from './subject.ts';

/** Steady load first, which is what serving usually means, then by id. */
function byRegime(a: Alternative, b: Alternative): number {
  const placeOf = ({ id }: Alternative) => {
    const { regime } = parseWorkload(id);
    return regime === null ? regimes.length : regimes.indexOf(regime);
  };
  return placeOf(a) - placeOf(b) || byId(a, b);
}

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

export interface ChosenWorkloads {
  /** The one that is ranked; null where each shape or each workload stands for itself, and where there is none. */
  choice: Choice | null;
  /** Those that take part; null for all that the filters let through. */
  ids: readonly string[] | null;
}

/** A workload with its systems that could be ranked, and those of them that have a preferred metric. */
export interface CountedWorkload extends Alternative {
  preferred: number;
  /** All systems that rank there, whether or not they meet the filters and bounds. */
  whole: number;
}

/**
 * The workload that answers: of those that the filters let through the one with the most systems; of several that have as
 * many the one with the most systems that have a preferred metric, then the one with the most systems in all, then steady
 * load before burst, offline and unspecified, then the first by id. Where the board separates shapes, each has its own
 * regime; where it separates workloads, all take part.
 */
export function chooseWorkload(
  counted: readonly CountedWorkload[],
  { filters, dimensions }: { filters: Asked; dimensions: readonly Dimension[] },
): ChosenWorkloads {
  const there = bySystems(counted, byRegime);
  const rankable = bySystems(
    counted.filter(({ id }) => allowsWorkload(filters, id)),
    (a, b) => b.preferred - a.preferred || b.whole - a.whole || byRegime(a, b),
  );
  if (dimensions.includes('workload')) return { choice: null, ids: null };
  if (dimensions.includes('scenario')) {
    const firstOfShape = new Map(rankable.toReversed().map(({ id }) => [parseWorkload(id).shape, id]));
    return { choice: null, ids: [...firstOfShape.values()] };
  }
  const [first] = rankable;
  // Nothing could be ranked: what is left out is counted over all that was asked for.
  if (first === undefined) return { choice: null, ids: null };
  const because = filters.workload?.length === 1 && filters.workload[0] === first.id ? 'asked' : 'most_systems';
  const others = there.filter(({ id }) => id !== first.id).map(({ id, systems }) => ({ id, systems }));
  return { choice: { id: first.id, systems: first.systems, because, others }, ids: [first.id] };
}
