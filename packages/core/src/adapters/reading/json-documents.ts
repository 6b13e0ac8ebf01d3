import { lineStarts } from './by-line.ts';
import { endsAt, JsonError, type JsonValue, readCutArray, readJson } from './json.ts';
import { readPlainLine } from './json-lines.ts';

export interface JsonDocument {
  value: JsonValue;
  /** 1-based, inclusive. */
  from: number;
  to: number;
}

/** A line on which JSON begins or breaks off, and why. */
export interface BrokenJson {
  code: 'json_broken' | 'yaml_broken';
  line: number;
  message: string;
  /**
   * Of an array that the end of the artifact cuts: what was whole, and the lines of it all. An adapter whose tool writes item
   * after item may claim it; then it is no break.
   */
  cut?: { items: JsonValue[]; from: number; to: number };
}

export interface JsonContent {
  documents: JsonDocument[];
  broken: BrokenJson[];
}

/** Breaks listed at most. One is enough to refuse an artifact, and every answer has an end. */
const maxBroken = 100;

/** Documents read at most. A server's log in JSON has fewer within the size limit, and every adapter looks at each. */
const maxDocuments = 100_000;

/** Objects and arrays of objects. Other brackets begin log lines (`[INFO]`, `[1, 2]`), not records. */
const opening = /[ \t]*(?:\{[ \t\r\n]*["}]|\[[ \t\r\n]*\{[ \t\r\n]*["}])/y;
const brace = 0x7b;
const bracket = 0x5b;
const isBlank = (code: number) => code === 0x20 || code === 0x09;
const blanksOfLine = /[ \t]*/y;

function isOpening(text: string, offset: number): boolean {
  let at = offset;
  while (isBlank(text.charCodeAt(at))) at++;
  // Most lines of a log end here, before the pattern is asked.
  const first = text.charCodeAt(at);
  if (first !== brace && first !== bracket) return false;
  opening.lastIndex = offset;
  return opening.test(text);
}

/** A record that breaks off is named by its own line; in a document laid out over many lines the place itself helps. */
function describeBreak(lines: readonly string[], from: number, at: number, reason: string): BrokenJson {
  const isLaidOut = /^\s*[[{]{1,2}\s*$/.test(lines[from - 1] ?? '');
  if (at === from) return { code: 'json_broken', line: from, message: `Line ${from} is broken JSON: ${reason}.` };
  return {
    code: 'json_broken',
    line: isLaidOut ? at : from,
    message: `The JSON that begins on line ${from} breaks off at line ${at}: ${reason}.`,
  };
}

function skipWithinLine(text: string, offset: number): number {
  blanksOfLine.lastIndex = offset;
  blanksOfLine.exec(text);
  return blanksOfLine.lastIndex;
}

/** Number of the line (1-based) that holds an offset; it is `first` or one after it. */
function lineOf(starts: Uint32Array, offset: number, first: number): number {
  if (offset < (starts[first] ?? Number.POSITIVE_INFINITY)) return first;
  let low = first;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/**
 * Every JSON document that starts on a line of its own: one object, an array of objects, several one after another,
 * JSONL, or records between log lines. What starts like one and breaks off is listed with its line.
 *
 * `text` is `lines` joined with line feeds, in which they begin at `starts`. Time is linear in it: after a failure the search goes on at the line of the
 * failure, so no line is read by more than two attempts. It ends early after a hundred breaks, and after
 * more documents than any report has.
 */
export function findJson(lines: readonly string[], text: string, starts: Uint32Array = lineStarts(lines)): JsonContent {
  const documents: JsonDocument[] = [];
  const broken: BrokenJson[] = [];
  if (!text.includes('{')) return { documents, broken };
  let arePlain = true;
  let line = 1;
  while (line <= lines.length && broken.length < maxBroken) {
    let offset = starts[line - 1] ?? 0;
    line++;
    let from = line - 1;
    // One turn per document; more than one where documents share a line.
    while (isOpening(text, offset)) {
      from = lineOf(starts, offset, from);
      try {
        const lineEnd = (starts[from] ?? text.length + 1) - 1;
        const plain: ReturnType<typeof readPlainLine> = arePlain ? readPlainLine(text, offset, lineEnd) : null;
        // Lines of one file are alike: what the first of them has that is not plain, others have.
        arePlain = plain !== null;
        const { value, end } = plain ?? readJson(text, offset);
        const to = lineOf(starts, end - 1, from);
        if (documents.length === maxDocuments) {
          broken.push({
            code: 'json_broken',
            line: from,
            message: `There are more than ${maxDocuments} JSON documents.`,
          });
          return { documents, broken };
        }
        documents.push({ value, from, to });
        line = to + 1;
        offset = skipWithinLine(text, end);
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        const at = lineOf(starts, error.offset, from);
        // Read again only where nothing follows, which is once.
        const items = endsAt(text, error.offset) ? (readCutArray(text, offset) ?? []) : [];
        const cut = items.length === 0 ? {} : { cut: { items, from, to: lines.length } };
        broken.push({ ...describeBreak(lines, from, at, error.message), ...cut });
        line = Math.max(from + 1, at);
        offset = text.length;
      }
    }
    if (line > 1 && offset < (starts[line - 1] ?? text.length + 1) - 1 && documents.at(-1)?.to === line - 1) {
      broken.push({
        code: 'json_broken',
        line: line - 1,
        message: `Line ${line - 1} goes on after the end of its JSON.`,
      });
    }
  }
  // Too short for an opening: a file of records that was cut right behind a brace.
  const last = lines.length;
  if (last > 1 && documents.at(-1)?.to === last - 1 && /^\s*\{\s*$/.test(lines[last - 1] ?? ''))
    broken.push({ code: 'json_broken', line: last, message: `Line ${last} is broken JSON: it ends after its brace.` });
  return { documents, broken };
}
