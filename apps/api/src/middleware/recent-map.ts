/** Recently set values, by name. */
export interface RecentMap<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value): void;
}

/**
 * A map with at most `most` entries. Each time `most` / 2 names were set, it drops all entries that were not set since the time
 * before. It uses two maps, because removing the oldest entries one by one is slow.
 */
export function createRecentMap<Value>(most: number): RecentMap<Value> {
  let recent = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    get: (name) => recent.get(name) ?? older.get(name),
    set: (name, value) => {
      recent.set(name, value);
      if (recent.size >= most / 2) [older, recent] = [recent, new Map()];
    },
  };
}
