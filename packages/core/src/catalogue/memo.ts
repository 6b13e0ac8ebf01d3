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

/**
 * A pure function of a text that remembers its last answers, which are frozen because callers share them. `key` is the
 * text with whatever else the answer depends on.
 */
export function remember<A extends readonly unknown[], T>(
  answer: (...args: A) => T,
  key: (...args: A) => string,
): (...args: A) => T {
  const known = new Map<string, T>();
  return (...args) => {
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
