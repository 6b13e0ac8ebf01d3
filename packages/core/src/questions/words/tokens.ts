/** Maximum question length in characters and words. Both limit the work. */
export const charactersMax = 500;
export const wordsMax = 80;

/** A word of a question, and its position in the text. */
export interface Token {
  /** Lower case, with compatibility normalization. */
  text: string;
  start: number;
  end: number;
  /** Text between quotation marks, as written; null for plain words. */
  quoted: string | null;
  /** True if the text is the correction of a typo. */
  isCorrected?: true;
}

/** A question, split into words. */
export interface Words {
  text: string;
  tokens: readonly Token[];
  /** Reference day of "since march" and "last month", such as 2026-09-15; null if unknown. */
  today: string | null;
}

/** Quoted names, comparison signs, and words. A comma is part of a word only between groups of three digits. */
const pieces =
  /"(?:[^"\\]|\\.)*"|=>|->|[→⇒]|@(?=\s)|<=|>=|[<>=≤≥$€£]|(?:\d{1,3}(?:,\d{3})+(?![\d,])|[^\s"<>=≤≥$€£→⇒,;!?()[\]{}])+/gu;

const arrows: ReadonlySet<string> = new Set(['=>', '->', '→', '⇒']);

/** "0,5 s", "$2,50": a number with a decimal comma, which only a unit or a dollar sign distinguishes from a list. */
const decimalComma =
  /(?<![\w.,])(?<dollar>[$€£] ?)?(?<whole>\d+),(?<part>\d{1,2})(?![\d,])(?: ?(?<unit>[a-z%][a-z/]*))?/giu;

/** Writes decimal commas as points. The text keeps its length. */
const withPoints = (text: string, isUnit: (text: string) => boolean) =>
  text.replace(decimalComma, (all, dollar?: string, whole = '', part = '', unit?: string) =>
    dollar !== undefined || (unit !== undefined && isUnit(unit.toLowerCase()))
      ? all.replace(`${whole},${part}`, `${whole}.${part}`)
      : all,
  );

/** Dots, colons, quotes and dashes around a word are removed; a number keeps its sign and its point. */
const trimmed =
  /^(?<before>(?:(?!-[.\d])[^\p{L}\p{N}.%<>=≤≥$€£])*(?:\.(?!\d))*)(?<word>.*?)(?<after>[^\p{L}\p{N}%+<>=≤≥$€£]*)$/u;

/** "20ms", "50tok/s", "60%": a number and its unit become two words. */
const glued = /^(?<number>-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,2})?)(?<unit>%|[a-z][a-z/]*)$/u;

/** Inside quotation marks, a backslash escapes the next character. */
function unquoted(piece: string): string {
  return piece.slice(1, -1).replace(/\\(.)/gu, '$1');
}

/** Quotes a name so that `toWordList` parses it unchanged. */
export function quote(name: string): string {
  return `"${name.replace(/[\\"]/gu, '\\$&')}"`;
}

/** `isUnit` returns true if letters after a number are a unit: "20ms" is two words, "8b" is one. */
export function toWordList(text: string, isUnit: (text: string) => boolean, today: string | null = null): Words {
  const pointed = withPoints(text, isUnit);
  const tokens: Token[] = [];
  const put = (start: number, end: number) =>
    tokens.push({ text: pointed.slice(start, end).normalize('NFKC').toLowerCase(), start, end, quoted: null });
  for (const { 0: piece, index } of pointed.matchAll(pieces)) {
    if (piece.startsWith('"')) {
      tokens.push({ text: piece, start: index, end: index + piece.length, quoted: unquoted(piece) });
      continue;
    }
    if (piece === '@') put(index, index + 1);
    const parts = arrows.has(piece) ? undefined : trimmed.exec(piece)?.groups;
    if (parts?.word === undefined || parts.word === '') continue;
    const whole = index + (parts.before?.length ?? 0);
    const end = whole + parts.word.length;
    // "non-nvidia" is two words.
    const negated = /^non-(?=.)/iu.exec(parts.word)?.[0].length ?? 0;
    if (negated > 0) put(whole, whole + 3);
    const start = whole + negated;
    const { number, unit } = glued.exec(parts.word.slice(negated).toLowerCase())?.groups ?? {};
    if (number === undefined || unit === undefined || !isUnit(unit)) {
      put(start, end);
      continue;
    }
    put(start, start + number.length);
    put(start + number.length, end);
  }
  return { text, tokens, today };
}

/** The words from `start` to before `end`, as written. */
export function written({ text, tokens }: Pick<Words, 'text' | 'tokens'>, start: number, end: number): string {
  const first = tokens[start];
  const last = tokens[end - 1];
  return first === undefined || last === undefined ? '' : text.slice(first.start, last.end);
}

/** The words as parsed: as written, with typos corrected. */
export function spelled(words: Words, start: number, end: number): string {
  const tokens = words.tokens.slice(start, end);
  if (!tokens.some(({ isCorrected }) => isCorrected)) return written(words, start, end);
  return tokens.map(({ text }) => text).join(' ');
}
