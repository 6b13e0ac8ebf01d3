/** A choice that a board made, and the alternatives. */
export interface Choice {
  id: string;
  /**
   * `asked`: the request names it. `most_systems`: no alternative has more systems that match the filters. `default_metric`: the
   * workload with the most systems has no default metric. `most_cells`: the matrix of this workload compares the most.
   * `comparable`: the sides of a comparison have their most comparable results in this workload.
   */
  because: 'asked' | 'most_systems' | 'default_metric' | 'most_cells' | 'comparable';
  /** Systems that match the filters. */
  systems: number;
  /** Sorted by number of systems, descending, then by id. */
  others: Alternative[];
  /**
   * True if too many points match the filters, so that systems were counted without them. The count is then an upper bound.
   */
  isAtMost?: boolean;
}

export interface Alternative {
  id: string;
  systems: number;
}

export const byId = (a: Alternative, b: Alternative) => (a.id < b.id ? -1 : Number(a.id > b.id));

/** Sorts alternatives by number of systems, descending, then by `tie`. */
export function bySystems<T extends Alternative>(counted: readonly T[], tie: (a: T, b: T) => number): T[] {
  return counted.filter(({ systems }) => systems > 0).sort((a, b) => b.systems - a.systems || tie(a, b));
}

/** The choice of one of the alternatives. */
export function switchChoice(
  { id: first, systems: most, others }: Choice,
  id: string,
  because: Choice['because'],
): Choice {
  const systems = others.find((one) => one.id === id)?.systems ?? 0;
  const rest = [{ id: first, systems: most }, ...others].filter((one) => one.id !== id);
  return { id, systems, because, others: rest };
}
