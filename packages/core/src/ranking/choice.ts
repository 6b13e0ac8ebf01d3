/** Something that a board holds to, and the alternatives. */
export interface Choice {
  id: string;
  /** `asked`: the question names it. `most_systems`: no alternative has more systems under the filters. */
  because: 'asked' | 'most_systems';
  /** Systems under the filters. */
  systems: number;
  /** Those of more systems first, then by id. */
  others: Alternative[];
  /** True where so many points meet the filters that systems were counted without them: as many at most meet them. */
  isAtMost?: boolean;
}

export interface Alternative {
  id: string;
  systems: number;
}

export const byId = (a: Alternative, b: Alternative) => (a.id < b.id ? -1 : Number(a.id > b.id));

/** Alternatives, those of more systems first; of equals in the order that `tie` gives. */
export function bySystems<T extends Alternative>(counted: readonly T[], tie: (a: T, b: T) => number): T[] {
  return counted.filter(({ systems }) => systems > 0).sort((a, b) => b.systems - a.systems || tie(a, b));
}
