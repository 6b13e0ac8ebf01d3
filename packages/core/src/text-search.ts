/** Shorter texts than this are searched at once; making the table would take longer. In UTF-16 units. */
const smallest = 65_536;

const tableSize = 1 << 16;
const mask = tableSize - 1;

/** Letters that differ in case alone are one; what else falls together is found out by the search itself. */
const fold = (code: number) => code | 0x20;
/** The last three bytes of UTF-8; whatever stood before them was shifted out. */
const roll = (triple: number, code: number) => ((triple << 6) ^ fold(code)) & mask;

const encoder = new TextEncoder();

function triplesOf(text: string): Uint8Array {
  const table = new Uint8Array(tableSize);
  let triple = 0;
  // Bytes are looked at several times as fast as the letters of a string.
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at++) {
    triple = roll(triple, bytes[at] ?? 0);
    table[triple] = 1;
  }
  return table;
}

/**
 * A text that is searched for the words of every tool. Nearly all of them are absent, and searching a large text for each
 * would take longer than reading it: its triples of bytes, of which it has some hundreds, tell of most that they are not there.
 */
export class TextSearch {
  readonly text: string;
  readonly #triples: Uint8Array | null;
  readonly #known = new Map<string, boolean>();

  constructor(text: string) {
    this.text = text;
    this.#triples = text.length < smallest ? null : triplesOf(text);
  }

  /** False where a word is certainly absent, in upper and lower case alike. */
  mayHold(word: string): boolean {
    if (this.#triples === null) return true;
    let triple = 0;
    for (const [at, byte] of encoder.encode(word).entries()) {
      triple = roll(triple, byte);
      if (at >= 2 && this.#triples[triple] === 0) return false;
    }
    return true;
  }

  /** Whether a word stands anywhere, in this very case. */
  has(word: string): boolean {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const isThere = this.mayHold(word) && this.text.includes(word);
    this.#known.set(word, isThere);
    return isThere;
  }
}
