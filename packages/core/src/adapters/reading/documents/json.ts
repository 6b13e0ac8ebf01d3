/** A JSON value from this reader. Numbers that a double cannot hold stay text. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Maximum nesting depth; no benchmark tool nests deeper than a dozen levels. */
export const maxDepth = 200;

/** Position and reason of a syntax error. `offset` counts UTF-16 units from the start of the text. */
export class JsonError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.name = 'JsonError';
    this.offset = offset;
  }
}

/**
 * Maximum number of names in one object. Records have dozens, and reports with single requests use lists. More names are an
 * attempt to slow the readers down.
 */
export const maxNames = 10_000;

const numberForm = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/**
 * Powers of ten that a double holds exactly. Whole numbers of up to fifteen digits are exact too, so one division rounds
 * once.
 */
const powers = Array.from({ length: 16 }, (_, index) => 10 ** index);
const words: [string, JsonValue][] = [
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', null],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const dot = 0x2e;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const escapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** One pass over one text. Every character is read a bounded number of times. */
class JsonReader {
  readonly #text: string;
  offset: number;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.offset = offset;
  }

  #skipBlanks(): void {
    // Uses character codes: an artifact may contain millions of tiny documents.
    for (;;) {
      const code = this.#text.charCodeAt(this.offset);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.offset++;
    }
  }

  #take(wanted: number): boolean {
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.offset) !== wanted) return false;
    this.offset++;
    return true;
  }

  #fail(message: string, offset = this.offset): never {
    throw new JsonError(message, offset);
  }

  #expected(what: string): never {
    const found = this.#text[this.offset];
    return this.#fail(
      found === undefined
        ? `unexpected end of the text; expected ${what}`
        : `expected ${what}, found ${JSON.stringify(found)}`,
    );
  }

  value(depth: number): JsonValue {
    this.#skipBlanks();
    const first = this.#text.charCodeAt(this.offset);
    if (first === quote) return this.#string();
    if (isDigit(first)) return this.#number();
    if (first === openBrace || first === openBracket) {
      if (depth >= maxDepth) this.#fail(`nested deeper than ${maxDepth} levels`);
      this.offset++;
      return first === openBrace ? this.#object(depth) : this.#array(depth);
    }
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, this.offset)) continue;
      this.offset += word.length;
      return value;
    }
    return this.#number();
  }

  #object(depth: number): JsonValue {
    const object: { [key: string]: JsonValue } = {};
    if (this.#take(closeBrace)) return object;
    let names = 0;
    do {
      this.#skipBlanks();
      const at = this.offset;
      if (this.#text.charCodeAt(at) !== quote) this.#expected('a key in double quotes');
      const key = this.#string();
      if (++names > maxNames) this.#fail(`an object has more than ${maxNames} names`, at);
      if (key === '__proto__') this.#fail('the key "__proto__" is not allowed', at);
      // With a duplicate name, one of the two values would be dropped silently.
      if (Object.hasOwn(object, key))
        this.#fail(`the key ${JSON.stringify(key.slice(0, 80))} occurs twice in one object`, at);
      if (!this.#take(colon)) this.#expected('":"');
      object[key] = this.value(depth + 1);
    } while (this.#take(comma));
    if (!this.#take(closeBrace)) this.#expected('"," or "}"');
    return object;
  }

  #array(depth: number): JsonValue {
    const array: JsonValue[] = [];
    if (this.#take(closeBracket)) return array;
    do array.push(this.value(depth + 1));
    while (this.#take(comma));
    if (!this.#take(closeBracket)) this.#expected('"," or "]"');
    return array;
  }

  #string(): string {
    const text = this.#text;
    const start = this.offset;
    let at = start + 1;
    let string = '';
    let from = at;
    let isPlain = true;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (code === backslash) {
        this.offset = at;
        string += text.slice(from, at) + this.#escape();
        at = this.offset;
        from = at;
        isPlain = false;
      } else if (code >= 0x20) {
        if (code >= 0xd800) isPlain = false;
        at++;
      }
      // Control characters, and NaN past the end.
      else this.#fail('a string is not closed on its line', at);
    }
    string = from === start + 1 ? text.slice(from, at) : string + text.slice(from, at);
    this.offset = at + 1;
    if (isPlain) return string;
    if (!string.isWellFormed()) this.#fail('a string contains a lone surrogate', start);
    if (string.includes('\u0000')) this.#fail('a string contains the character U+0000', start);
    return string;
  }

  #escape(): string {
    const letter = this.#text[this.offset + 1] ?? '';
    if (letter === 'u') {
      const code = this.#text.slice(this.offset + 2, this.offset + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(code)) this.#fail('a \\u escape needs four hexadecimal digits');
      this.offset += 6;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const character = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (character === undefined) return this.#fail('a string has an unknown escape');
    this.offset += 2;
    return character;
  }

  /** Up to fifteen digits with or without a point; null for anything else, including text that is not a number. */
  #shortNumber(): number | null {
    const text = this.#text;
    const start = this.offset;
    let at = start;
    let digits = 0;
    let point = -1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (isDigit(code)) digits = digits * 10 + code - 0x30;
      else if (code === dot && point < 0) point = at;
      else if (code === comma || code === closeBrace || code === closeBracket || code <= 0x20) break;
      else return null;
      if (++at - start > 16) return null;
    }
    const length = at - start - (point < 0 ? 0 : 1);
    const hasLeadingZero = text.charCodeAt(start) === 0x30 && at - start > 1 && point !== start + 1;
    if (length === 0 || length > 15 || hasLeadingZero || point === start || point === at - 1) return null;
    this.offset = at;
    return point < 0 ? digits : digits / (powers[at - point - 1] ?? 1);
  }

  #number(): JsonValue {
    const short = this.#shortNumber();
    if (short !== null) return short;
    numberForm.lastIndex = this.offset;
    const found = numberForm.exec(this.#text);
    if (found === null) return this.#expected('a value');
    this.offset = numberForm.lastIndex;
    const [source, fraction, exponent] = found;
    const number = Number(source);
    const isWhole = fraction === undefined && exponent === undefined;
    return !Number.isFinite(number) || (isWhole && !Number.isSafeInteger(number)) ? source : number;
  }
}

const anyBlanks = /\s*/y;

/** The offset of the next character that is not whitespace. */
function skipBlanks(text: string, offset: number): number {
  anyBlanks.lastIndex = offset;
  anyBlanks.exec(text);
  return anyBlanks.lastIndex;
}

/**
 * Reads one JSON value that starts at `offset` (after optional whitespace) and returns its end.
 *
 * In addition to JSON it accepts the tokens that Python writes: `NaN` is null (missing), `Infinity` and `-Infinity` are
 * infinities, for fields where they mean "no limit". Whole numbers above 2^53 and numbers that no double can hold (`1e309`)
 * stay text. Nothing is rounded, and no huge number becomes an infinity. Throws `JsonError`.
 */
export function readJson(text: string, offset = 0): { value: JsonValue; end: number } {
  const reader = new JsonReader(text, offset);
  const value = reader.value(0);
  return { value, end: reader.offset };
}

/** An incomplete number, word or escape at the end of the text. */
const remnant = /[\w.+\\-]{0,40}\s*/y;

/** Whether the text ends at an offset, except for a partially written value. */
export function endsAt(text: string, offset: number): boolean {
  remnant.lastIndex = offset;
  remnant.exec(text);
  return remnant.lastIndex === text.length || offset >= text.length;
}

/**
 * Complete items of an array that the end of the text truncates. Null for text with an earlier error, or that does not begin
 * an array.
 */
export function readCutArray(text: string, offset: number): JsonValue[] | null {
  let at = skipBlanks(text, offset);
  if (text[at] !== '[') return null;
  const items: JsonValue[] = [];
  at++;
  for (;;) {
    try {
      const { value, end } = readJson(text, at);
      items.push(value);
      at = skipBlanks(text, end);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      return endsAt(text, error.offset) ? items : null;
    }
    if (at === text.length) return items;
    if (text[at] !== ',') return null;
    at++;
  }
}
