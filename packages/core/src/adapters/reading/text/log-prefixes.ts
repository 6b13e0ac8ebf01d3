import {
  ofClock,
  ofComment,
  ofJob,
  ofJournal,
  ofLevel,
  ofLogTime,
  ofMpirun,
  ofPod,
  ofProcess,
  ofQuote,
  ofService,
  ofTask,
  ofTime,
  type Prefix,
} from './prefix-patterns.ts';

const prefixes = [
  ofTime,
  ofJob,
  ofPod,
  ofMpirun,
  ofJournal,
  ofLevel,
  ofLogTime,
  ofClock,
  ofProcess,
  ofService,
  ofTask,
  ofQuote,
  ofComment,
] as const;

const forDigit = [ofTime, ofLogTime, ofClock, ofTask, ofService, ofJob];
const forLetter = [ofLevel, ofJournal, ofClock, ofService, ofJob];
const forBracket = [ofPod, ofMpirun, ofLogTime, ofClock];
const forMark = [ofTime];
const forOther = [ofJob];
const none: readonly Prefix[] = [];

/** The prefixes that a line may begin with, by its first character. Most lines need only one or no test. */
function candidates(line: string): readonly Prefix[] {
  const code = line.charCodeAt(0) | 0;
  if (code >= 0x30 && code <= 0x39) return forDigit;
  if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) return forLetter;
  switch (line[0]) {
    case '[':
      return forBracket;
    case '(':
      return [ofProcess];
    case '>':
      return [ofQuote];
    case '#':
      return [ofComment];
    case ' ':
      return line.length > 2 && line.charCodeAt(1) <= 0x39 ? [ofTask] : none;
    case '\uFEFF':
      return forMark;
    case '{':
    case '|':
    case undefined:
      return none;
    default:
      return forOther;
  }
}

/** The prefix of each line: its index in the list plus one, and its length. */
interface Found {
  kinds: Uint8Array;
  lengths: Uint16Array;
  /** Number of non-blank lines, and of lines with each prefix. */
  filled: number;
  counts: number[];
}

function findPrefixes(lines: readonly string[]): Found {
  const kinds = new Uint8Array(lines.length);
  const lengths = new Uint16Array(lines.length);
  const counts = prefixes.map(() => 0);
  let filled = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    filled++;
    for (const prefix of candidates(line)) {
      if (prefix === ofJob && !line.includes('\t')) continue;
      const length = prefix.pattern.exec(line)?.[0].length ?? 0;
      if (length === 0) continue;
      const kind = prefixes.indexOf(prefix);
      kinds[index] = kind + 1;
      lengths[index] = length;
      counts[kind] = (counts[kind] ?? 0) + 1;
      break;
    }
  }
  preferClock(lines, { kinds, lengths, filled, counts });
  return { kinds, lengths, filled, counts };
}

/** Whether the words after the time of lines that look like journald's differ. */
function hasSeveralHosts(lines: readonly string[], kinds: Uint8Array): boolean {
  const journals = prefixes.indexOf(ofJournal) + 1;
  let host: string | null = null;
  for (const [index, kind] of kinds.entries()) {
    if (kind !== journals) continue;
    const found = /^\S{3} [ \d]\d \S{8} (\S{1,64})/.exec(lines[index] ?? '')?.[1] ?? '';
    host ??= found;
    if (found !== host) return true;
  }
  return false;
}

/**
 * If most lines have a time alone, the rest is output: `Successful requests:` is not journald's host and program. Neither are
 * `total duration:` and `eval rate:` next to a line with a time alone, because journald's host is the same on every line.
 */
function preferClock(lines: readonly string[], { kinds, lengths, counts }: Found): void {
  const clocks = prefixes.indexOf(ofClock);
  const journals = prefixes.indexOf(ofJournal);
  for (const longer of [journals, prefixes.indexOf(ofLogTime)]) {
    const [found = 0, others = 0] = [counts[longer], counts[clocks]];
    if (found === 0 || others === 0) continue;
    if (others <= found && !(longer === journals && hasSeveralHosts(lines, kinds))) continue;
    for (const [index, line] of lines.entries()) {
      if (kinds[index] !== longer + 1) continue;
      kinds[index] = clocks + 1;
      lengths[index] = ofClock.pattern.exec(line)?.[0].length ?? 0;
    }
    counts[clocks] = found + others;
    counts[longer] = 0;
  }
}

/** Fewer consecutive lines may begin alike by chance. */
const shortestRun = 3;
/** Share of all non-blank lines. */
const mostLines = 0.6;
const nearlyAllLines = 0.8;

/** A table without borders also has names before its first bar, but they rarely repeat. */
function areNamesOfTable(lines: readonly string[], kinds: Uint8Array, kind: number): boolean {
  const names = new Set<string>();
  let count = 0;
  for (let index = 0; index < lines.length; index++) {
    if (kinds[index] !== kind) continue;
    count++;
    const line = lines[index] ?? '';
    names.add(line.slice(0, line.indexOf('|')).trimEnd());
  }
  return names.size > 1 && names.size * shortestRun > count;
}

/** Removes the prefixes that occur often enough; false if none does. */
function removePrefixes(lines: string[]): boolean {
  const { kinds, lengths, filled, counts } = findPrefixes(lines);
  if (counts.every((count) => count === 0)) return false;
  let isChanged = false;
  const columnAt = (index: number) => (lines[index] ?? '').indexOf('|');
  const isRow = (index: number) => lines[index]?.includes('|') ?? false;
  const services = prefixes.indexOf(ofService) + 1;
  const isTable = areNamesOfTable(lines, kinds, services);
  const cut = (from: number, to: number) => {
    for (let index = from; index < to; index++) lines[index] = (lines[index] ?? '').slice(lengths[index] ?? 0);
    isChanged = true;
  };
  let from = 0;
  while (from < lines.length) {
    const kind = kinds[from] ?? 0;
    const prefix = prefixes[kind - 1];
    if (prefix === undefined) {
      from++;
      continue;
    }
    const column = prefix.reach === 'column' ? columnAt(from) : null;
    let to = from;
    let end = from + 1;
    let count = 0;
    for (; to < lines.length; to++) {
      const isOfRun = kinds[to] === kind && (column === null || columnAt(to) === column);
      if (!isOfRun && (lines[to] ?? '').trim() !== '') break;
      if (isOfRun) {
        count++;
        end = to + 1;
      }
    }
    // Lines of a program's log have a time too.
    const alike = prefix === ofClock ? (counts[prefixes.indexOf(ofLogTime)] ?? 0) : 0;
    const share = ((counts[kind - 1] ?? 0) + alike) / filled;
    const isUniform =
      prefix.reach === 'anywhere' ||
      share >= nearlyAllLines ||
      (prefix.reach === 'run' && (share >= mostLines || count >= shortestRun)) ||
      (prefix.reach === 'column' && count >= shortestRun && !isRow(from - 1) && !isRow(end));
    if (isUniform && !(kind === services && isTable)) cut(from, end);
    from = end;
  }
  return isChanged;
}

/** Removes the indentation that all lines share and keeps the relative indentation. False if there is none. */
function removeIndentation(lines: string[]): boolean {
  let common: string | null = null;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const blanks = /^[ \t]*/.exec(line)?.[0] ?? '';
    common ??= blanks;
    let length = 0;
    while (length < common.length && common[length] === blanks[length]) length++;
    common = common.slice(0, length);
    if (common === '') return false;
  }
  const width = common?.length ?? 0;
  if (width === 0) return false;
  for (let index = 0; index < lines.length; index++) lines[index] = (lines[index] ?? '').slice(width);
  return true;
}

/** If nearly every line has trailing spaces, a terminal was copied at its full width. */
function removePadding(lines: string[]): boolean {
  let filled = 0;
  let padded = 0;
  for (const line of lines) {
    if (line === '') continue;
    filled++;
    if (line.endsWith(' ')) padded++;
  }
  if (filled < shortestRun || padded / filled < nearlyAllLines) return false;
  for (let index = 0; index < lines.length; index++) lines[index] = (lines[index] ?? '').trimEnd();
  return true;
}

/** Marks of GitHub Actions, and the lines that `script` and GitLab write around the output. */
const marks = /^(?:##\[[a-z]{1,20}\]|section_(?:start|end):\d{1,12}:\S{0,200}|Script (?:started|done) on \d{4}-.*)/;
const markWords = ['##[', 'section_start:', 'section_end:', 'Script started on', 'Script done on'];

function removeMarks(lines: string[], has: (word: string) => boolean): boolean {
  if (!markWords.some(has)) return false;
  let isChanged = false;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const first = line[0];
    if (first !== '#' && first !== 's' && first !== 'S') continue;
    const rest = line.replace(marks, '');
    if (rest === line) continue;
    lines[index] = rest;
    isChanged = true;
  }
  return isChanged;
}

/** Maximum number of nested prefixes from programs that write into each other's logs. */
const deepest = 8;

/**
 * Lines without the prefixes of log collectors, schedulers and people: timestamps, names of services and processes, log
 * levels, quotes, indentation. Nested prefixes are removed too. A prefix is removed only if the surrounding lines have it as
 * well, so content is not changed. The number and order of lines stay the same.
 *
 * Null if there is nothing to remove. Time is linear in the text.
 */
export function withoutLogPrefixes(plain: readonly string[], has: (word: string) => boolean): string[] | null {
  const lines = [...plain];
  let isChanged = false;
  for (let depth = 0; depth < deepest; depth++) {
    if (!removePrefixes(lines) && !removeIndentation(lines)) break;
    isChanged = true;
  }
  const isMarked = removeMarks(lines, has);
  const isPadded = removePadding(lines);
  return isChanged || isMarked || isPadded ? lines : null;
}
