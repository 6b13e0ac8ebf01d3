import type { ArtifactText } from './reading/artifact-text.ts';

export interface MlperfLine {
  line: number;
  /** As printed. */
  label: string;
  value: string;
}

/** One summary, or the empty one of a run that measured accuracy. Lines are 1-based and inclusive. */
export interface MlperfBlock {
  from: number;
  to: number;
  isSummary: boolean;
  /** By label in lower case with single blanks; the first of each, for some are printed twice. */
  rows: ReadonlyMap<string, MlperfLine>;
  /** What it advises, where the run is invalid. */
  recommendations: string[];
}

const heading = /^\s*MLPerf Results Summary\s*$/;
const rule = /^\s*={20,100}\s*$/;
const closing = /^\s*(?:No|\d{1,9}) (warnings|errors) encountered(?: during test)?\./i;
/** Longest summary looked for; those seen have some eighty lines. */
const maxLines = 400;

function readSummary(artifact: ArtifactText, heading: number, end: number): MlperfBlock {
  const rows = new Map<string, MlperfLine>();
  const recommendations: string[] = [];
  let to = heading;
  let isAdvice = false;
  for (let line = heading + 1; line <= end; line++) {
    const text = artifact.lineAt(line);
    if (closing.test(text)) {
      to = line;
      if (/errors/i.test(text)) break;
      continue;
    }
    if (/^\s*Recommendations:\s*$/.test(text)) isAdvice = true;
    else if (isAdvice && /^\s*\* \S/.test(text)) recommendations.push(text.trim().slice(2, 302));
    else isAdvice &&= text.trim() !== '' && !rule.test(text) && !/^\S/.test(text);
    const colon = text.indexOf(':');
    const label = text.slice(0, Math.max(0, colon)).trim().replace(/^\* /, '');
    const value = text.slice(colon + 1).trim();
    if (label === '' || label.length > 80 || value === '' || value.length > 200) continue;
    const key = label.toLowerCase().replace(/\s+/g, ' ');
    to = line;
    if (!rows.has(key)) rows.set(key, { line, label, value });
  }
  const from = rule.test(artifact.lineAt(heading - 1)) ? heading - 1 : heading;
  return { from, to, isSummary: true, rows, recommendations };
}

/** An accuracy run leaves nothing but the two closing lines. */
function findEmpty(artifact: ArtifactText): MlperfBlock[] {
  const found = new Map<string, number>();
  for (const [index, text] of artifact.lines.entries()) {
    const word = text.includes('encountered') ? closing.exec(text)?.[1]?.toLowerCase() : undefined;
    if (word !== undefined && !found.has(word)) found.set(word, index + 1);
  }
  const [first, second] = [...found.values()].sort((a, b) => a - b);
  // Other programs count warnings as well; both within a few lines are LoadGen's.
  if (first === undefined || second === undefined || second - first > 4) return [];
  return [{ from: first, to: second, isSummary: false, rows: new Map(), recommendations: [] }];
}

const blocksOf = new WeakMap<ArtifactText, MlperfBlock[]>();

/** Every summary in order of appearance; where there is none, the trace of an accuracy run. */
export function findMlperfBlocks(artifact: ArtifactText): MlperfBlock[] {
  if (!(artifact.has('MLPerf') || artifact.has('encountered'))) return [];
  const known = blocksOf.get(artifact);
  if (known !== undefined) return known;
  const headings: number[] = [];
  for (const [index, text] of artifact.lines.entries())
    if (text.includes('MLPerf') && heading.test(text)) headings.push(index + 1);
  const blocks = headings.map((line, index) => {
    // The rule above the next heading is the next one's.
    const next = (headings[index + 1] ?? artifact.lines.length + 2) - 2;
    return readSummary(artifact, line, Math.min(next, line + maxLines));
  });
  const all = blocks.length > 0 ? blocks : findEmpty(artifact);
  blocksOf.set(artifact, all);
  return all;
}
