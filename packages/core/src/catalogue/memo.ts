/** Texts remembered by one function. The names in an artifact repeat on its thousands of lines. */
const maxEntries = 1000;
/** Longer texts are looked up each time: what is remembered has a size. */
const maxLength = 500;

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}

/** Counts the changes of the catalogue: what was remembered or derived under an earlier number is made again. */
let generation = 0;

/** Drops everything that was remembered or derived. Called where the catalogue's tables are replaced, and nowhere else. */
export function forgetAll(): void {
  generation += 1;
}

/** A value that follows from the catalogue's tables: made when it is first asked for, and again after they were replaced. */
export function derived<T>(make: () => T): () => T {
  let made: { value: T; generation: number } | null = null;
  return () => {
    if (made?.generation !== generation) made = { value: make(), generation };
    return made.value;
  };
}

/**
 * A pure function of a text that remembers its last answers, which are frozen because callers share them. `key` is the
 * text with whatever else the answer depends on.
 */
export function remember<A extends readonly unknown[], T>(
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
