import type { PointTable } from './point-table.ts';

/** Answers kept for one state of a table, at most; some hold a number for each point. */
const keptMax = 8;

/**
 * Remembers what was found in a table by a key, for as long as no row changes: the last few answers, the longest unused
 * forgotten first.
 */
export function createMemory<T>(): (table: PointTable, key: string, find: () => T) => T {
  const memories = new WeakMap<PointTable, { version: number; found: Map<string, T> }>();
  return (table, key, find) => {
    const held = memories.get(table);
    const found = held?.version === table.version ? held.found : new Map<string, T>();
    memories.set(table, { version: table.version, found });
    const answer = found.has(key) ? (found.get(key) as T) : find();
    found.delete(key);
    found.set(key, answer);
    const [oldest] = found.keys();
    if (found.size > keptMax && oldest !== undefined) found.delete(oldest);
    return answer;
  };
}
