import { ArtifactError, unreadable } from '../errors.ts';
import { countBefore } from './by-line.ts';
import { checkCredentials } from './credentials.ts';
import { decodeText } from './decode.ts';
import { findJson, type JsonContent } from './json-documents.ts';
import { findYaml } from './yaml-documents.ts';

const esc = '\u001b';
/** CSI sequences (colours, cursor), OSC sequences (titles, links) and two-character escapes. */
const ansi = new RegExp(
  `${esc}(?:\\[[0-9:;<=>?]*[ -/]*[@-~]|\\][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\)?|[@-Z\\\\^_()][0-9A-B]?)`,
  'g',
);
const mpirunTag = /^\[\d{1,9},\d{1,9}\]<std(?:out|err)>:/;
/** A plus-minus sign that was read in another code page and saved again. */
const brokenPlusMinus = /Â±|┬▒/g;

/** More lines than any report within the size limit has; a body of line ends alone would keep every reader busy. */
const maxLines = 1_000_000;

/** Pieces between separators, counted before any is made: millions of them would take seconds. */
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
  #text: string | null = null;
  #json: JsonContent | null = null;
  readonly #words = new Map<string, boolean>();

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  /** The line with a 1-based number; empty outside the file. */
  lineAt(number: number): string {
    return this.lines[number - 1] ?? '';
  }

  get text(): string {
    this.#text ??= this.lines.join('\n');
    return this.#text;
  }

  /** Whether a word stands anywhere. What has no word of a tool's need not be searched for it line by line. */
  has(word: string): boolean {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const isThere = this.text.includes(word);
    this.#words.set(word, isThere);
    return isThere;
  }

  /** JSON documents, reports in YAML, and broken beginnings of such, by line; found on first use. */
  get json(): JsonContent {
    this.#json ??= this.#findDocuments();
    return this.#json;
  }

  #findDocuments(): JsonContent {
    const json = findJson(this.lines, this.text);
    const yaml = findYaml(this.lines, this.text, json.documents);
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

/**
 * Reads bytes as the text a terminal would show: byte order marks, ANSI sequences, overwritten progress bars and mpirun
 * tags are removed, mojibake of the plus-minus sign is mended.
 *
 * Throws `ArtifactError` for bytes that are no text, for U+0000, for anything shaped like a credential and for more than
 * a million lines.
 */
export function toArtifactText(bytes: Uint8Array): ArtifactText {
  const decoded = decodeText(bytes);
  // Carriage returns alone end lines only in files without any line feed; elsewhere they overwrite.
  const lineEnd = decoded.includes('\n') ? '\n' : '\r';
  const count = countPieces(decoded, lineEnd);
  if (count > maxLines) {
    throw unreadable(maxLines, 'lines_too_many', `The file has ${count} lines; ${maxLines} are read at most.`);
  }
  const raw = (lineEnd === '\n' ? decoded : decoded.replace(/\r+$/, '')).split(lineEnd);
  const plain = decoded.includes(esc) ? raw.map((line) => (line.includes(esc) ? line.replace(ansi, '') : line)) : raw;
  // Searched before overwritten text is dropped: the exact bytes are what becomes public.
  const faults = checkCredentials(plain, decoded);
  if (faults.length > 0) throw new ArtifactError(faults);
  return new ArtifactText(
    plain.map((line) => {
      const shown = visible(line);
      const untagged = shown.startsWith('[') ? shown.replace(mpirunTag, '') : shown;
      return untagged.includes('Â') || untagged.includes('┬') ? untagged.replace(brokenPlusMinus, '±') : untagged;
    }),
  );
}
