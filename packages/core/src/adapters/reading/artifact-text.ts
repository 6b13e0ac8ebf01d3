import { checkCredentials } from '../../credentials.ts';
import { TextSearch } from '../../text-search.ts';
import { ArtifactError, unreadable } from '../errors.ts';
import { countBefore, lineStarts } from './by-line.ts';
import { decodeText } from './decode.ts';
import { findJson, type JsonContent } from './json-documents.ts';
import { withoutLogPrefixes } from './log-prefixes.ts';
import { findYaml, yamlWords } from './yaml-documents.ts';

const esc = '\u001b';
/** CSI sequences (colours, cursor), OSC sequences (titles, links) and two-character escapes. */
const ansi = new RegExp(
  `${esc}(?:\\[[0-9:;<=>?]*[ -/]*[@-~]|\\][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\)?|[@-Z\\\\^_()][0-9A-B]?)`,
  'g',
);
/** A plus-minus sign that was read in another code page and saved again. */
const brokenPlusMinus = /Â±|┬▒/g;

/** More lines than any report within the size limit has; a body of line ends alone would keep every reader busy. */
const maxLines = 1_000_000;

/** Pieces between separators, without making them: millions would take seconds. */
function countPieces(text: string, separator: string): number {
  let count = 1;
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + 1)) count++;
  return count;
}

/** What is left of a line after its carriage returns: a progress bar overwrites itself, so the last text counts. */
function visible(line: string): string {
  if (!line.includes('\r')) return line;
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end);
}

/**
 * An artifact as cleaned lines. Line numbers are 1-based and those of the file that was sent: cleaning changes lines,
 * it never adds or removes one.
 */
export class ArtifactText {
  readonly lines: readonly string[];
  /** What searches found here (`remembered`). A weak map of each search would cost every small artifact more. */
  readonly found = new Map<object, unknown>();
  /** The same with the prefixes of its lines, where a log had some and they were removed. */
  readonly prefixed: ArtifactText | null;
  /** Number of the last line, where it ended with a number that may have been cut and is not read. */
  readonly unfinished: number | null;
  #search: TextSearch | null;
  #starts: Uint32Array | null = null;
  #json: JsonContent | null = null;

  /** `search` is over the lines joined with line feeds, for those who have it. */
  constructor(
    lines: readonly string[],
    search: TextSearch | null = null,
    { prefixed = null, unfinished = null }: { prefixed?: ArtifactText | null; unfinished?: number | null } = {},
  ) {
    this.lines = lines;
    this.unfinished = unfinished;
    this.prefixed = prefixed;
    this.#search = search;
  }

  /** The line with a 1-based number; empty outside the file. */
  lineAt(number: number): string {
    return this.lines[number - 1] ?? '';
  }

  get #searched(): TextSearch {
    this.#search ??= new TextSearch(this.lines.join('\n'));
    return this.#search;
  }

  get #lineStarts(): Uint32Array {
    this.#starts ??= lineStarts(this.lines);
    return this.#starts;
  }

  get text(): string {
    return this.#searched.text;
  }

  /** Whether a word stands anywhere. What has no word of a tool's need not be searched for it line by line. */
  has(word: string): boolean {
    return this.#searched.has(word);
  }

  /** Numbers of the lines (1-based, in order) in which any of the words stands: what is wanted is on few of them. */
  linesWith(...words: string[]): readonly number[] {
    const [only = [], ...others] = words.filter((word) => this.has(word)).map((word) => this.#linesOf(word));
    if (others.length === 0) return only;
    const sorted = Uint32Array.from([only, ...others].flat()).sort();
    return [...sorted.filter((line, index) => line !== sorted[index - 1])];
  }

  #linesOf(word: string): number[] {
    const starts = this.#lineStarts;
    const found: number[] = [];
    let line = 0;
    for (let at = this.text.indexOf(word); at >= 0; at = this.text.indexOf(word, starts[line])) {
      while (line < starts.length && (starts[line] ?? 0) <= at) line++;
      found.push(line);
      if (line === starts.length) break;
    }
    return found;
  }

  /** JSON documents, reports in YAML, and broken beginnings of such, by line; found on first use. */
  get json(): JsonContent {
    this.#json ??= this.#findDocuments();
    return this.#json;
  }

  #findDocuments(): JsonContent {
    const json = findJson(this.lines, this.text, this.#lineStarts);
    const yaml = findYaml(this.lines, this.linesWith(...yamlWords), json.documents);
    if (yaml.documents.length === 0 && yaml.broken.length === 0) return json;
    // Brackets within YAML are a part of it.
    const isOutside = (line: number) => (yaml.documents[countBefore(yaml.documents, line + 1) - 1]?.to ?? 0) < line;
    return {
      documents: [...json.documents.filter(({ from }) => isOutside(from)), ...yaml.documents].sort(
        (a, b) => a.from - b.from,
      ),
      broken: [...json.broken.filter(({ line }) => isOutside(line)), ...yaml.broken],
    };
  }
}

function tooManyLines(count: number): ArtifactError {
  return unreadable(maxLines, 'lines_too_many', `The file has ${count} lines; ${maxLines} are read at most.`);
}

/** Carriage returns alone end lines only in files without any line feed; elsewhere they overwrite. */
function splitLines(text: string): string[] {
  if (text.includes('\n')) {
    const lines = text.split('\n', maxLines + 1);
    if (lines.length > maxLines) throw tooManyLines(countPieces(text, '\n'));
    return lines;
  }
  const count = countPieces(text, '\r');
  if (count > maxLines) throw tooManyLines(count);
  let end = text.length;
  while (text[end - 1] === '\r') end--;
  return text.slice(0, end).split('\r');
}

function clean(line: string): string {
  const shown = visible(line);
  return shown.includes('Â') || shown.includes('┬') ? shown.replace(brokenPlusMinus, '±') : shown;
}

/** What `clean` changes is only where one of these is. */
const unclean = ['\r', 'Â', '┬'];

/** A number at the end of a line, with its commas where it stands alone; its exponent may have begun. */
const numberAtEnd = /(?:(?<=\s)[-+]?\d[\d.,]*|(?<=^|[,:=|(±"])[-+]?\d[\d.]*)(?:[eE][+-]?\d*)?$/;
const decimalsAtEnd = /\.(\d{2,20})$/;
/** Lines before the last that are looked at for how many decimals are printed. */
const linesBefore = 20;

/** Whether the last number has as many decimals as those above it, all of which have as many. */
function isPrintedAlike(lines: readonly string[], number: string): boolean {
  const decimals = decimalsAtEnd.exec(number)?.[1]?.length;
  let alike = 0;
  for (let index = lines.length - 2; index >= Math.max(0, lines.length - 1 - linesBefore); index--) {
    const line = (lines[index] ?? '').trimEnd();
    if (line === '') break;
    const last = numberAtEnd.exec(line)?.[0];
    if (last === undefined) continue;
    if (decimalsAtEnd.exec(last)?.[1]?.length !== decimals) return false;
    alike++;
  }
  return decimals !== undefined && alike >= 2;
}

/**
 * The last line without the number at its end: where no line end follows, the rest of it may be missing. Null where that
 * does not hold, or the number is whole by its decimals. JSON says itself whether it is whole.
 */
function withoutUnfinished(lines: readonly string[]): string | null {
  const last = lines.at(-1) ?? '';
  const number = /^\s*(?:\||[{[]\s*[{"]|"[^"]*"\s*:)/.test(last) ? undefined : numberAtEnd.exec(last)?.[0];
  return number === undefined || isPrintedAlike(lines, number) ? null : last.slice(0, last.length - number.length);
}

/**
 * Reads bytes as the text that a tool printed: byte order marks, ANSI sequences, overwritten progress bars and prefixes of
 * logs are removed, mojibake of the plus-minus sign is mended.
 *
 * Throws `ArtifactError` for bytes that are no text, for U+0000, for anything shaped like a credential and for more than
 * a million lines.
 */
export function toArtifactText(bytes: Uint8Array): ArtifactText {
  const decoded = decodeText(bytes);
  const raw = splitLines(decoded);
  const isColoured = decoded.includes(esc);
  const plain = isColoured ? raw.map((line) => (line.includes(esc) ? line.replace(ansi, '') : line)) : raw;
  // Joining millions of lines again takes as long as reading them.
  const search = new TextSearch(isColoured || !decoded.includes('\n') ? plain.join('\n') : decoded);
  // Searched before overwritten text is dropped: the exact bytes are what becomes public.
  const seen = checkCredentials(search);
  // What a terminal does not show, a window's title say, is public too.
  const faults = seen.length === 0 && isColoured ? checkCredentials(new TextSearch(decoded)) : seen;
  if (faults.length > 0) throw new ArtifactError(faults);
  const isUnclean = unclean.some((word) => search.text.includes(word));
  const cleaned = isUnclean ? plain.map(clean) : plain;
  const last = /[\r\n]$/.test(decoded) ? null : withoutUnfinished(cleaned);
  const unfinished = last === null ? null : cleaned.length;
  const lines = last === null ? cleaned : cleaned.with(-1, last);
  const artifact = new ArtifactText(lines, isUnclean || last !== null ? null : search, { unfinished });
  const bare = withoutLogPrefixes(artifact.lines, (word) => search.has(word));
  return bare === null ? artifact : new ArtifactText(bare, null, { prefixed: artifact, unfinished });
}
