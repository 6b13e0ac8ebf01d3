import { toKey } from '../reading/figures/label-key.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

export interface MlperfLine {
  line: number;
  /** As printed. */
  label: string;
  value: string;
}

/** One summary, or the empty summary of an accuracy run. Lines are 1-based and inclusive. */
export interface MlperfBlock {
  from: number;
  to: number;
  isSummary: boolean;
  /** By label in lower case with single spaces. Some labels are printed twice; the first one is kept. */
  rows: ReadonlyMap<string, MlperfLine>;
  /** Advice for an invalid run. */
  recommendations: string[];
}

const heading = /^\s*MLPerf Results Summary\s*$/;
const rule = /^\s*={20,100}\s*$/;
const closing = /^\s*(?:No|\d{1,9}) (warnings|errors) encountered(?: during test)?\./i;
/** First character of a closing line. Nearly all other lines of a summary begin with another letter. */
const closingWord = /^[n\d]/i;
/** Maximum length of a summary; known ones have about eighty lines. */
const maxLines = 400;

function readSummary(artifact: ArtifactText, heading: number, end: number): MlperfBlock {
  const rows = new Map<string, MlperfLine>();
  const recommendations: string[] = [];
  let to = heading;
  let isAdvice = false;
  let isClosed = false;
  let lastKey = '';
  for (let line = heading + 1; line <= end; line++) {
    const text = artifact.lineAt(line);
    const bare = text.trim();
    const colon = bare.indexOf(':');
    if (colon < 0 && bare === '') {
      isAdvice = false;
      continue;
    }
    if (closingWord.test(bare) && closing.test(bare)) {
      to = line;
      isClosed = true;
      if (/errors/i.test(bare)) break;
      continue;
    }
    if (bare === 'Recommendations:') isAdvice = true;
    else if (isAdvice && /^\* \S/.test(bare)) recommendations.push(bare.slice(2, 302));
    else isAdvice &&= !rule.test(text) && !/^\S/.test(text);
    const head = bare.slice(0, Math.max(0, colon)).trimEnd();
    const label = head.startsWith('* ') ? head.slice(2) : head;
    const value = bare.slice(colon + 1).trimStart();
    if (label === '' || label.length > 80 || value === '' || value.length > 200) continue;
    const key = toKey(label);
    to = line;
    lastKey = key;
    if (!rows.has(key)) rows.set(key, { line, label, value });
  }
  // Figures in nanoseconds have no decimals that would show where the paste was cut.
  const isAtEnd = artifact.lines.slice(to).every((text) => text.trim() === '');
  if (!isClosed && isAtEnd && rows.get(lastKey)?.line === to) rows.delete(lastKey);
  const from = rule.test(artifact.lineAt(heading - 1)) ? heading - 1 : heading;
  return { from, to, isSummary: true, rows, recommendations };
}

/** An accuracy run leaves only the two closing lines. */
function findEmpty(artifact: ArtifactText): MlperfBlock[] {
  const found = new Map<string, number>();
  for (const line of artifact.linesWith('encountered')) {
    const word = closing.exec(artifact.lineAt(line))?.[1]?.toLowerCase();
    if (word !== undefined && !found.has(word)) found.set(word, line);
  }
  const [first, second] = [...found.values()].sort((a, b) => a - b);
  // Other programs count warnings as well; both lines close together are from LoadGen.
  if (first === undefined || second === undefined || second - first > 4) return [];
  return [{ from: first, to: second, isSummary: false, rows: new Map(), recommendations: [] }];
}

/** All summaries in order of appearance. Without any, the traces of an accuracy run. */
export const findMlperfBlocks = cachedPerArtifact((artifact): MlperfBlock[] => {
  if (!(artifact.has('MLPerf') || artifact.has('encountered'))) return [];
  const headings = artifact.linesWith('MLPerf Results Summary').filter((line) => heading.test(artifact.lineAt(line)));
  const blocks = headings.map((line, index) => {
    // The rule above the next heading belongs to the next summary.
    const next = (headings[index + 1] ?? artifact.lines.length + 2) - 2;
    return readSummary(artifact, line, Math.min(next, line + maxLines));
  });
  const all = blocks.length > 0 ? blocks : findEmpty(artifact);
  return all;
});
