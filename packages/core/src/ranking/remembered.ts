import type { PointTable } from './point-table.ts';

export interface MemoryLimits<T> {
  /** Weight of the answers that are kept for one state of a table, at most. */
  most: number;
  weigh(answer: T): number;
}

/** Eight answers: some hold a number for each point. */
const someAnswers: MemoryLimits<unknown> = { most: 8, weigh: () => 1 };

/**
 * Remembers what was found in a table by a key, for as long as no row changes: the last few answers, the longest unused
 * forgotten first.
 */
export function createMemory<T>({
  most,
  weigh,
}: MemoryLimits<T> = someAnswers): (table: PointTable, key: string, find: () => T) => T {
  const memories = new WeakMap<PointTable, { version: number; found: Map<string, T>; weight: number }>();
  return (table, key, find) => {
    let held = memories.get(table);
    if (held?.version !== table.version) held = { version: table.version, found: new Map(), weight: 0 };
    memories.set(table, held);
    const { found } = held;
    const known = found.has(key);
    const answer = known ? (found.get(key) as T) : find();
    if (!known) held.weight += weigh(answer);
    found.delete(key);
    found.set(key, answer);
    for (const [oldest, forgotten] of found) {
      if (held.weight <= most || oldest === key) break;
      found.delete(oldest);
      held.weight -= weigh(forgotten);
    }
    return answer;
  };
}
