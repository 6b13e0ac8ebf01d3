/** What was noted lately, by name. */
export interface RecentMap<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value): void;
}

/**
 * A map that never grows beyond `most`: of more than half of them the ones that were not set for longest are forgotten, all
 * at once. Two maps, for taking out of one by one what is oldest is slow.
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
