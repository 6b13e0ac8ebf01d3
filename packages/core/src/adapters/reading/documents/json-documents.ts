import { lineStarts } from '../text/by-line.ts';
import { endsAt, JsonError, type JsonValue, readCutArray, readJson } from './json.ts';
import { readPlainLine } from './json-lines.ts';

export interface JsonDocument {
  value: JsonValue;
  /** 1-based, inclusive. */
  from: number;
  to: number;
}

/** A line with the start of invalid JSON or the position of its error, and the reason. */
export interface BrokenJson {
  code: 'json_broken' | 'yaml_broken';
  line: number;
  message: string;
  /**
   * The complete items of an array that the end of the artifact truncates, and all its lines. An adapter may claim it if its
   * tool writes the items one by one; otherwise it is an error.
   */
  cut?: { items: JsonValue[]; from: number; to: number };
  /** True if it is code or an example around a report: few numbers follow its names, and the artifact continues after it. */
  isExample?: true;
}

export interface JsonContent {
  documents: JsonDocument[];
  broken: BrokenJson[];
}

/** Maximum number of listed errors. One is enough to reject an artifact, and responses are limited. */
const maxBroken = 100;

/**
 * Maximum number of documents. A server's JSON log within the size limit has fewer, and every adapter examines each
 * document.
 */
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
  // Skips most lines of a log before the pattern is tried.
  const first = text.charCodeAt(at);
  if (first !== brace && first !== bracket) return false;
  opening.lastIndex = offset;
  return opening.test(text);
}

/** A truncated record is reported at its first line. For a document of many lines, the position of the error is more useful. */
function describeBreak(lines: readonly string[], from: number, at: number, reason: string): BrokenJson {
  const isLaidOut = /^\s*[[{]{1,2}\s*$/.test(lines[from - 1] ?? '');
  if (at === from) return { code: 'json_broken', line: from, message: `Line ${from} is invalid JSON: ${reason}.` };
  return {
    code: 'json_broken',
    line: isLaidOut ? at : from,
    message: `The JSON that begins on line ${from} is invalid at line ${at}: ${reason}.`,
  };
}

/** A name with a number. Every result has more of them than a request or a tool's definition. */
const figure = /"\s{0,8}:\s{0,8}-?\d/g;
const mostFigures = 3;
/** Maximum number of lines of an example that are searched. */
const longestExample = 200;

/** Whether the broken text at a line, down to the next blank line or fence, is no record of figures. */
function isExample(lines: readonly string[], from: number): boolean {
  let count = 0;
  for (let index = from - 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (index >= from && /^\s*(?:```.*)?$/.test(line)) return true;
    if (index - from > longestExample) return false;
    count += line.match(figure)?.length ?? 0;
    if (count > mostFigures) return false;
  }
  // The artifact ends within it: a record that was truncated.
  return false;
}

function skipWithinLine(text: string, offset: number): number {
  blanksOfLine.lastIndex = offset;
  blanksOfLine.exec(text);
  return blanksOfLine.lastIndex;
}

/** Number of the line (1-based) at an offset: `first` or a later line. */
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
 * All JSON documents that start at the beginning of a line: one object, an array of objects, several in sequence, JSONL, or
 * records between log lines. Invalid documents are listed with their line.
 *
 * `text` is `lines` joined with line feeds; `starts` are their offsets. Time is linear in the text: after an error the
 * search continues at its line, so at most two attempts read a line. The search stops after a hundred errors, and after more
 * documents than any report has.
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
    // One iteration per document. Documents may share a line.
    while (isOpening(text, offset)) {
      from = lineOf(starts, offset, from);
      try {
        const lineEnd = (starts[from] ?? text.length + 1) - 1;
        const plain: ReturnType<typeof readPlainLine> = arePlain ? readPlainLine(text, offset, lineEnd) : null;
        // Lines of one file are similar: if the first one needs the full reader, others do too.
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
        // Parsed again only at the end of the text, which happens once.
        const items = endsAt(text, error.offset) ? (readCutArray(text, offset) ?? []) : [];
        const cut = items.length === 0 ? {} : { cut: { items, from, to: lines.length } };
        const example = isExample(lines, from) ? { isExample: true as const } : {};
        broken.push({ ...describeBreak(lines, from, at, error.message), ...cut, ...example });
        line = Math.max(from + 1, at);
        offset = text.length;
      }
    }
    if (line > 1 && offset < (starts[line - 1] ?? text.length + 1) - 1 && documents.at(-1)?.to === line - 1) {
      broken.push({
        code: 'json_broken',
        line: line - 1,
        message: `Line ${line - 1} has text after the end of its JSON.`,
        ...(isExample(lines, documents.at(-1)?.from ?? line - 1) ? { isExample: true as const } : {}),
      });
    }
  }
  // Too short for an opening: a file of records that was truncated right after a brace.
  const last = lines.length;
  if (last > 1 && documents.at(-1)?.to === last - 1 && /^\s*\{\s*$/.test(lines[last - 1] ?? ''))
    broken.push({
      code: 'json_broken',
      line: last,
      message: `Line ${last} is incomplete JSON: it ends after its opening brace.`,
    });
  return { documents, broken };
}
