import type { ArtifactText } from './artifact-text.ts';
import { countBefore } from './by-line.ts';

/** The text below a Markdown heading, up to the next heading of the same or a higher level. Lines are 1-based and inclusive. */
export interface Section {
  from: number;
  to: number;
  level: number;
  title: string;
  /** The enclosing section; null if there is none. */
  parent: Section | null;
}

const heading = /^(#{1,6}) +(\S.{0,300})$/;
const fence = /^ {0,3}(```|~~~)/;
const closing = /^ {0,3}(?:`{3,}|~{3,})\s*$/;
/** A fence directly after the last line of an output without a line end. */
const glued = /^[^`~]+(?:`{3}|~{3})\s*$/;

/** Headings outside of fences, in order of appearance. Inside fences, such lines are comments and prompts. */
export function findSections(artifact: ArtifactText): Section[] {
  if (!artifact.has('# ')) return [];
  const sections: Section[] = [];
  const open: Section[] = [];
  let fenced: string | null = null;
  for (const line of artifact.linesWith('# ', '```', '~~~')) {
    const text = artifact.lineAt(line);
    const mark = fence.exec(text)?.[1] ?? null;
    if (fenced !== null) {
      if ((mark === fenced && closing.test(text)) || (glued.test(text) && text.includes(fenced))) fenced = null;
      continue;
    }
    fenced = mark;
    const [, marks = '', words = ''] = heading.exec(text) ?? [];
    if (marks === '') continue;
    while ((open.at(-1)?.level ?? 0) >= marks.length) {
      const ended = open.pop();
      if (ended !== undefined) ended.to = line - 1;
    }
    const title = words.replace(/\s+#+\s*$/, '').trim();
    const section = { from: line, to: artifact.lines.length, level: marks.length, title, parent: open.at(-1) ?? null };
    open.push(section);
    sections.push(section);
  }
  return sections;
}

/** The innermost section around a line. */
export function sectionAt(sections: readonly Section[], line: number): Section | null {
  return sections[countBefore(sections, line + 1) - 1] ?? null;
}

const watts = String.raw`(\d{1,3}(?:\.\d{1,3})?|1[0-4]\d{2}) ?(?:W|watts?)`;
/** The whole heading, its end after "@" or in brackets, or the figure next to "power limit". */
const limits = [
  new RegExp(`^${watts}$`, 'i'),
  new RegExp(`@ ?${watts}$`, 'i'),
  new RegExp(String.raw`\(${watts}\)$`, 'i'),
  new RegExp(String.raw`\bpower (?:limit|cap)(?: of)?[:=]? ?${watts}$`, 'i'),
  new RegExp(`(?:^|[ ,])${watts} (?:power )?(?:limit|cap)$`, 'i'),
];

/** The first fact that a heading around a line states, from the innermost heading on; null if there is none. */
export function factIn<T>(section: Section | null, read: (title: string, line: number) => T | null): T | null {
  for (let around = section; around !== null; around = around.parent) {
    const found = read(around.title.replaceAll(/[*`]/g, '').trim(), around.from);
    if (found !== null) return found;
  }
  return null;
}

const numberIn = (section: Section | null, patterns: readonly RegExp[]): number | null =>
  factIn(section, (title) => {
    const found = patterns.map((pattern) => pattern.exec(title.replaceAll('_', ''))?.[1]);
    const number = found.find((text) => text !== undefined);
    return number === undefined ? null : Number(number);
  });

/** The power limit in the nearest heading, in watts; null if there is none. */
export const powerLimitIn = (section: Section | null): number | null => numberIn(section, limits);

/** The whole heading, or its end after a separator: "Tensor Parallel (TP) - 2 GPUs". Not "A server with 8 GPUs". */
const gpuCounts = [/^(?:.{0,200}[-–—:,(] ?)?([1-9]\d{0,2}) GPUs?\)?$/i];

/** The number of GPUs in the nearest heading; null if there is none. */
export const gpuCountIn = (section: Section | null): number | null => numberIn(section, gpuCounts);

/** Maximum number of unread sections in a response. */
const unreadMax = 20;

/** For each range, the last line of it and of all previous ranges. */
function ends(stretches: readonly { to: number }[]): number[] {
  let last = 0;
  return stretches.map(({ to }) => {
    last = Math.max(last, to);
    return last;
  });
}

/**
 * Sections with figures that contain no results and no already listed lines (`known`, by their first lines). Subsections of
 * a listed section are not listed again.
 */
export function unreadSections(
  artifact: ArtifactText,
  sections: readonly Section[],
  known: readonly { from: number; to: number }[],
): string[] {
  const unread: string[] = [];
  const knownTo = ends(known);
  let covered = 0;
  for (const { from, to, title } of sections) {
    const isKnown = (knownTo[countBefore(known, to + 1) - 1] ?? 0) >= from;
    if (isKnown || from <= covered) continue;
    covered = to;
    const body = artifact.lines.slice(from, to).filter((line) => !heading.test(line));
    if (body.some((line) => /\d/.test(line))) unread.push(`section "${title.slice(0, 80)}" on line ${from}`);
    if (unread.length === unreadMax) break;
  }
  return unread;
}
