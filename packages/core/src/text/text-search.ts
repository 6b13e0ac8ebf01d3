/** Shorter texts are searched directly, because building the table would take longer. In UTF-16 units. */
const smallest = 65_536;

const tableSize = 1 << 16;
const mask = tableSize - 1;

/** Folds case. The full search excludes other collisions. */
const fold = (code: number) => code | 0x20;
/** Hash of the last three UTF-8 bytes; earlier bytes are shifted out. */
const roll = (triple: number, code: number) => ((triple << 6) ^ fold(code)) & mask;

const encoder = new TextEncoder();

function triplesOf(text: string): Uint8Array {
  const table = new Uint8Array(tableSize);
  let triple = 0;
  // Reading bytes is several times as fast as reading the characters of a string.
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at++) {
    triple = roll(triple, bytes[at] ?? 0);
    table[triple] = 1;
  }
  return table;
}

/**
 * A text to search for the words of every tool. Nearly all words are absent, and searching a large text for each would take
 * longer than parsing it. The text contains only some hundreds of distinct byte triples, which rule out most words.
 */
export class TextSearch {
  readonly text: string;
  readonly #triples: Uint8Array | null;
  readonly #known = new Map<string, boolean>();

  constructor(text: string) {
    this.text = text;
    this.#triples = text.length < smallest ? null : triplesOf(text);
  }

  /** False if a word is certainly absent, in any case. */
  mayHold(word: string): boolean {
    if (this.#triples === null) return true;
    let triple = 0;
    for (const [at, byte] of encoder.encode(word).entries()) {
      triple = roll(triple, byte);
      if (at >= 2 && this.#triples[triple] === 0) return false;
    }
    return true;
  }

  /** True if the text contains a word, case-sensitive. */
  has(word: string): boolean {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const isThere = this.mayHold(word) && this.text.includes(word);
    this.#known.set(word, isThere);
    return isThere;
  }
}
