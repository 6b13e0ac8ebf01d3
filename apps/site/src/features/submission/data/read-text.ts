/** A displayed line of an artifact, 1-based. */
export interface ReadLine {
  number: number;
  text: string;
  /** `read`: a result uses it; `fault`: an error names it. */
  mark: 'read' | 'fault' | null;
}

export interface ReadText {
  /** Displayed ranges of lines; the lines between two ranges are omitted. */
  stretches: ReadLine[][];
  read: number;
  faults: number;
  all: number;
}

/** Number of context lines around a marked line. */
const around = 2;
/** Maximum number of displayed lines and characters; the linked artifact has the rest. */
const linesMax = 400;
const lettersMax = 240;

const shortened = (text: string) => (text.length > lettersMax ? `${text.slice(0, lettersMax)} …` : text);

/** The lines of an artifact that were read or have errors, with context. Null for bytes that are not text. */
export function toReadText(
  text: string,
  read: readonly { from: number; to: number }[],
  faults: readonly number[],
): ReadText | null {
  if (text.includes('\0')) return null;
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const marks = new Map<number, 'read' | 'fault'>();
  for (const { from, to } of read)
    for (let line = from; line <= Math.min(to, lines.length); line++) marks.set(line, 'read');
  const named = faults.filter((line) => line >= 1 && line <= lines.length);
  for (const line of named) marks.set(line, 'fault');
  const stretches: ReadLine[][] = [];
  let shown = 0;
  let last = 0;
  for (const line of [...marks.keys()].sort((a, b) => a - b)) {
    const from = Math.max(last + 1, line - around);
    const to = Math.min(lines.length, line + around);
    if (shown + to - from >= linesMax) break;
    if (from > last + 1 || stretches.length === 0) stretches.push([]);
    for (let at = from; at <= to; at++) {
      stretches.at(-1)?.push({ number: at, text: shortened(lines[at - 1] ?? ''), mark: marks.get(at) ?? null });
      shown++;
    }
    last = Math.max(last, to);
  }
  const isRead = [...marks.values()].filter((mark) => mark === 'read').length;
  return { stretches, read: isRead, faults: new Set(named).size, all: lines.length };
}
