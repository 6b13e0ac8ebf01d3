/** The keys of a list that only grows, numbered. */
export class Numbered<T> {
  readonly keys: string[] = [];
  codes = new Int32Array();
  readonly #known = new Map<string, number>();
  #length = 0;

  /** Takes in what has come to the list. */
  update(items: readonly T[], keyOf: (item: T) => string): this {
    if (this.codes.length < items.length) {
      const codes = new Int32Array(Math.ceil(items.length * 1.25));
      codes.set(this.codes);
      this.codes = codes;
    }
    for (; this.#length < items.length; this.#length += 1) {
      const key = keyOf(items[this.#length] as T);
      const code = this.#known.get(key) ?? this.keys.push(key) - 1;
      this.#known.set(key, code);
      this.codes[this.#length] = code;
    }
    return this;
  }
}

/** By the list they number: hundreds of thousands of systems are not numbered for every question. */
const numberings = new WeakMap<object, Map<string, Numbered<never>>>();

/** The items of a list by what is told of them; the numbers are kept with the list and go on as it grows. */
export function numbered<T>(items: readonly T[], what: string, keyOf: (item: T) => string): Numbered<T> {
  const ofList = numberings.get(items) ?? new Map<string, Numbered<never>>();
  numberings.set(items, ofList);
  // What is told of a list is always told of the same items.
  const held = (ofList.get(what) as Numbered<T> | undefined) ?? new Numbered<T>();
  ofList.set(what, held as unknown as Numbered<never>);
  return held.update(items, keyOf);
}
