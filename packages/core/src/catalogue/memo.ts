/** Maximum number of texts cached per function. The names in an artifact repeat on thousands of lines. */
const maxEntries = 1000;
/** Longer texts are not cached, which bounds the size of the cache. */
const maxLength = 500;

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}

/** Version of the catalogue. Cached and derived values of an earlier version are recomputed. */
let generation = 0;

/** Invalidates all cached and derived values. Call it only where the catalogue's tables are replaced. */
export function invalidateAll(): void {
  generation += 1;
}

/** A lazy value derived from the catalogue's tables. It is recomputed after the tables are replaced. */
export function derived<T>(make: () => T): () => T {
  let made: { value: T; generation: number } | null = null;
  return () => {
    if (made?.generation !== generation) made = { value: make(), generation };
    return made.value;
  };
}

/**
 * Memoizes a pure function of a text. The cache keeps the most recent results, frozen because callers share them. `key` is
 * the text plus all other inputs of the result.
 */
export function memoize<A extends readonly unknown[], T>(
  answer: (...args: A) => T,
  key: (...args: A) => string,
): (...args: A) => T {
  const knownNow = derived(() => new Map<string, T>());
  return (...args) => {
    const known = knownNow();
    const text = key(...args);
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = freeze(answer(...args));
    if (text.length > maxLength) return found;
    if (known.size >= maxEntries) known.clear();
    known.set(text, found);
    return found;
  };
}
