/** Longest question read, in characters and in words. The work is bounded by both. */
export const charactersMax = 500;
export const wordsMax = 80;

/** A word of a question, and where it stands in the text. */
export interface Token {
  /** Lower case, compatibility-normalised. */
  text: string;
  start: number;
  end: number;
  /** What stands between quotation marks, as written; null for plain words. */
  quoted: string | null;
}

/** A question as words. */
export interface Words {
  text: string;
  tokens: readonly Token[];
}

/** Quoted names, comparison signs, and words; a comma belongs to a word only between groups of three digits. */
const pieces =
  /"(?:[^"\\]|\\.)*"|=>|->|[→⇒]|<=|>=|[<>=≤≥$]|(?:\d{1,3}(?:,\d{3})+(?![\d,])|[^\s"<>=≤≥$→⇒,;!?()[\]{}])+/gu;

const arrows: ReadonlySet<string> = new Set(['=>', '->', '→', '⇒']);

/** Dots, colons, quotes and dashes around a word are not part of it; a number keeps its sign and its point. */
const trimmed =
  /^(?<before>(?:(?!-[.\d])[^\p{L}\p{N}.%<>=≤≥$])*(?:\.(?!\d))*)(?<word>.*?)(?<after>[^\p{L}\p{N}%+<>=≤≥$]*)$/u;

/** "20ms", "50tok/s", "60%": a number and what it counts are two words. */
const glued = /^(?<number>(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,2})?)(?<unit>%|[a-z][a-z/]*)$/u;

/** Inside quotation marks a backslash keeps the next character as it is. */
function unquoted(piece: string): string {
  return piece.slice(1, -1).replace(/\\(.)/gu, '$1');
}

/** The quoted form of a name, which `toWordList` reads back as it was. */
export function quote(name: string): string {
  return `"${name.replace(/[\\"]/gu, '\\$&')}"`;
}

/** `isUnit` tells which letters behind a number are a unit: "20ms" is two words, "8b" is one. */
export function toWordList(text: string, isUnit: (text: string) => boolean): Words {
  const tokens: Token[] = [];
  const put = (start: number, end: number) =>
    tokens.push({ text: text.slice(start, end).normalize('NFKC').toLowerCase(), start, end, quoted: null });
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    if (piece.startsWith('"')) {
      tokens.push({ text: piece, start: index, end: index + piece.length, quoted: unquoted(piece) });
      continue;
    }
    const parts = arrows.has(piece) ? undefined : trimmed.exec(piece)?.groups;
    if (parts?.word === undefined || parts.word === '') continue;
    const start = index + (parts.before?.length ?? 0);
    const end = start + parts.word.length;
    const { number, unit } = glued.exec(parts.word.toLowerCase())?.groups ?? {};
    if (number === undefined || unit === undefined || !isUnit(unit)) {
      put(start, end);
      continue;
    }
    put(start, start + number.length);
    put(start + number.length, end);
  }
  return { text, tokens };
}

/** The words from `start` to before `end`, as they were written. */
export function written({ text, tokens }: Words, start: number, end: number): string {
  const first = tokens[start];
  const last = tokens[end - 1];
  return first === undefined || last === undefined ? '' : text.slice(first.start, last.end);
}
