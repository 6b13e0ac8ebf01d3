import { checkCredentials } from '../../../credentials.ts';
import { TextSearch } from '../../../text/text-search.ts';
import { ArtifactError, unreadable } from '../../errors.ts';
import { findJson, type JsonContent } from '../documents/json-documents.ts';
import { findYaml, yamlWords } from '../documents/yaml-documents.ts';
import { countBefore, lineStarts } from './by-line.ts';
import { decodeText } from './decode.ts';
import { withoutLogPrefixes } from './log-prefixes.ts';
import { withoutTimestamps } from './log-timestamps.ts';

const esc = '\u001b';
/** CSI sequences (colours, cursor), OSC sequences (titles, links) and two-character escapes. */
const ansi = new RegExp(
  `${esc}(?:\\[[0-9:;<=>?]*[ -/]*[@-~]|\\][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\)?|[@-Z\\\\^_()][0-9A-B]?)`,
  'g',
);
/** A plus-minus sign that was decoded with another code page and saved again. */
const brokenPlusMinus = /Â±|┬▒/g;

/** More lines than any report within the size limit has. A body with only line ends would slow every reader down. */
const maxLines = 1_000_000;

/** Counts the pieces between separators without creating them, because millions would take seconds. */
function countPieces(text: string, separator: string): number {
  let count = 1;
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + 1)) count++;
  return count;
}

/** The visible text of a line with carriage returns. A progress bar overwrites itself, so the last text counts. */
function visible(line: string): string {
  if (!line.includes('\r')) return line;
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end);
}

interface About {
  prefixed?: () => ArtifactText;
  unfinished: number | null;
  isLog?: boolean;
}

/**
 * An artifact as cleaned lines. Line numbers are 1-based and match the submitted file: cleaning changes lines but never adds
 * or removes one.
 */
export class ArtifactText {
  readonly lines: readonly string[];
  /** Search results, cached by `remembered`. A weak map for each search would cost every small artifact more. */
  readonly found = new Map<object, unknown>();
  /** Whether every non-blank line had a log timestamp, which was removed. */
  readonly isLog: boolean;
  /** Number of the last line if it ended with a number that may be truncated and is not read. */
  readonly unfinished: number | null;
  #search: TextSearch | null;
  #starts: Uint32Array | null = null;
  #json: JsonContent | null = null;
  #prefixed: ArtifactText | (() => ArtifactText) | null;

  /** `search` covers the lines joined with line feeds, if the caller has one. */
  constructor(lines: readonly string[], search: TextSearch | null = null, about: Partial<About> = {}) {
    this.lines = lines;
    this.unfinished = about.unfinished ?? null;
    this.isLog = about.isLog ?? false;
    this.#prefixed = about.prefixed ?? null;
    this.#search = search;
  }

  /** The artifact with its log line prefixes, if some were removed; created on first use. */
  get prefixed(): ArtifactText | null {
    if (typeof this.#prefixed === 'function') this.#prefixed = this.#prefixed();
    return this.#prefixed;
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

  /** Whether a word occurs anywhere. If no word of a tool occurs, its lines need not be searched. */
  has(word: string): boolean {
    return this.#searched.has(word);
  }

  /** Numbers of the lines (1-based, in order) that contain any of the words, usually few. */
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

  /** JSON documents, YAML reports, and their errors, by line; computed on first use. */
  get json(): JsonContent {
    this.#json ??= this.#findDocuments();
    return this.#json;
  }

  #findDocuments(): JsonContent {
    const json = findJson(this.lines, this.text, this.#lineStarts);
    const yaml = findYaml(this.lines, this.linesWith(...yamlWords), json.documents);
    if (yaml.documents.length === 0 && yaml.broken.length === 0) return json;
    // Brackets within YAML belong to the YAML.
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
  return unreadable(maxLines, 'lines_too_many', `The file has ${count} lines; the maximum is ${maxLines}.`);
}

/** Carriage returns end lines only in files without any line feed; elsewhere they overwrite. */
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
  // Web pages show blanks of which some do not break.
  const shown = visible(line).replaceAll('\u00a0', ' ');
  return shown.includes('Â') || shown.includes('┬') ? shown.replace(brokenPlusMinus, '±') : shown;
}

/** `clean` only changes text that contains one of these. */
const unclean = ['\r', 'Â', '┬', '\u00a0'];

/** A number at the end of a line, with commas if it is a separate word. Its exponent may be incomplete. */
const numberAtEnd = /(?:(?<=\s)[-+]?\d[\d.,]*|(?<=^|[,:=|(±"])[-+]?\d[\d.]*)(?:[eE][+-]?\d*)?$/;
const decimalsAtEnd = /\.(\d{2,20})$/;
/** Number of lines before the last that are compared for their number of decimals. */
const linesBefore = 20;

/** Whether the last number has as many decimals as the numbers above it, which must all have the same. */
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
 * The last line without the number at its end, which may be incomplete if no line end follows. Null if there is no such
 * number, or if its decimals show that it is complete. For JSON the parser decides.
 */
function withoutUnfinished(lines: readonly string[]): string | null {
  const last = lines.at(-1) ?? '';
  const number = /^\s*(?:\||[{[]\s*[{"]|"[^"]*"\s*:)/.test(last) ? undefined : numberAtEnd.exec(last)?.[0];
  return number === undefined || isPrintedAlike(lines, number) ? null : last.slice(0, last.length - number.length);
}

/** The content of the bytes. */
interface Cleaned {
  lines: readonly string[];
  /** Covers all text, including overwritten text. */
  search: TextSearch;
  /** Covers the visible lines; null if they differ. */
  searched: TextSearch | null;
  unfinished: number | null;
}

function toCleanLines(bytes: Uint8Array): Cleaned {
  const decoded = decodeText(bytes);
  const raw = splitLines(decoded);
  const isColoured = decoded.includes(esc);
  const plain = isColoured ? raw.map((line) => (line.includes(esc) ? line.replace(ansi, '') : line)) : raw;
  // Joining millions of lines again takes as long as reading them.
  const search = new TextSearch(isColoured || !decoded.includes('\n') ? plain.join('\n') : decoded);
  // Searched before overwritten text is dropped, because the exact bytes become public.
  const seen = checkCredentials(search);
  // Text that a terminal does not show, such as a window title, becomes public too.
  const faults = seen.length === 0 && isColoured ? checkCredentials(new TextSearch(decoded)) : seen;
  if (faults.length > 0) throw new ArtifactError(faults);
  const isUnclean = unclean.some((word) => search.text.includes(word));
  const cleaned = isUnclean ? plain.map(clean) : plain;
  const last = /[\r\n]$/.test(decoded) ? null : withoutUnfinished(cleaned);
  return {
    lines: last === null ? cleaned : cleaned.with(-1, last),
    search,
    searched: isUnclean || last !== null ? null : search,
    unfinished: last === null ? null : cleaned.length,
  };
}

/** The lines without log prefixes. `about` lists the timestamps that were removed before. */
function withoutPrefixes({ lines, search, searched, unfinished }: Cleaned, about: Partial<About> = {}): ArtifactText {
  const bare = withoutLogPrefixes(lines, (word) => search.has(word));
  if (bare === null) return new ArtifactText(lines, searched, { unfinished, ...about });
  const prefixed = () => new ArtifactText(lines, searched, { unfinished });
  return new ArtifactText(bare, null, { prefixed, unfinished, ...about });
}

/**
 * Converts bytes to the text that a tool printed. Removes byte order marks, ANSI sequences, overwritten progress bars and
 * log prefixes, and repairs mojibake of the plus-minus sign and blanks that do not break.
 *
 * Throws `ArtifactError` for bytes that are not text, for U+0000, for anything shaped like a credential and for more than a
 * million lines.
 */
export function toArtifactText(bytes: Uint8Array): ArtifactText {
  const log = withoutTimestamps(bytes);
  if (log === null) return withoutPrefixes(toCleanLines(bytes));
  const prefixed = () => {
    const { lines, searched, unfinished } = toCleanLines(bytes);
    return new ArtifactText(lines, searched, { unfinished });
  };
  try {
    return withoutPrefixes(toCleanLines(log.bytes), { prefixed, isLog: log.isEvery });
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    // The error must state the position in the submitted bytes.
    return withoutPrefixes(toCleanLines(bytes));
  }
}
