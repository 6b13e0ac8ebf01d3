import type { Filters } from '../filters/filters.ts';
import { regimes } from '../workloads/regime.ts';
import { parseWorkload } from '../workloads/workload-id.ts';
import { type Alternative, byId, bySystems, type Choice } from './choice.ts';
import type { Dimension } from './subject.ts';

/** Sorts steady load first, the usual meaning of serving, then by id. */
export function byRegime(a: Alternative, b: Alternative): number {
  const placeOf = ({ id }: Alternative) => {
    const { regime } = parseWorkload(id);
    return regime === null ? regimes.length : regimes.indexOf(regime);
  };
  return placeOf(a) - placeOf(b) || byId(a, b);
}

/** The filters on workloads. */
type Asked = Pick<Filters, 'workload' | 'regime'>;

/** True if filters accept a workload, by its id. */
export function allowsWorkload({ workload, regime }: Asked, id: string): boolean {
  const { shape, regime: own } = parseWorkload(id);
  return (
    (workload === undefined || workload.some((asked) => asked === id || asked === shape)) &&
    (regime === undefined || (own !== null && regime.includes(own)))
  );
}

export interface ChosenWorkloads {
  /** The ranked workload; null if shapes or workloads are separate subjects, and if there is none. */
  choice: Choice | null;
  /** Included workloads; null for all that the filters accept. */
  ids: readonly string[] | null;
}

/** A workload with the number of its rankable systems, and of those with a preferred metric. */
export interface CountedWorkload extends Alternative {
  preferred: number;
  /** All systems ranked there, regardless of filters and bounds. */
  whole: number;
}

/**
 * Chooses the workload with the most systems among those that the filters accept. Ties are broken by the most systems with a
 * preferred metric, then the most systems in total. Further ties are broken by regime (steady before burst, offline and
 * unspecified), then by id. If the board separates shapes, each has its own regime; if it separates workloads, all are
 * included.
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
  // Nothing can be ranked: count the omitted points over the whole request.
  if (first === undefined) return { choice: null, ids: null };
  const because = filters.workload?.length === 1 && filters.workload[0] === first.id ? 'asked' : 'most_systems';
  const others = there.filter(({ id }) => id !== first.id).map(({ id, systems }) => ({ id, systems }));
  return { choice: { id: first.id, systems: first.systems, because, others }, ids: [first.id] };
}
