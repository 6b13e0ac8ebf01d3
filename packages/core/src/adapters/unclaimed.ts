import type { Claim } from './adapter.ts';
import { toPlainText } from './plain-facts.ts';
import type { ArtifactText } from './reading/text/artifact-text.ts';
import { countBefore } from './reading/text/by-line.ts';
import { type Section, unreadSections } from './reading/text/sections.ts';

/** Maximum number of JSON objects in the list. */
const objectsMax = 20;

/** Figures of a serving block. Those outside of a read block are of a paste without its beginning. */
const servingFigure =
  /^[\s>|-]{0,8}(?:Benchmark duration \(s\)|Request throughput \(req\/s\)|(?:Mean|Median|P99) TTFT \(ms\)):\s{1,80}[\d.]/;
const servingWords = ['Benchmark duration (s):', 'Request throughput (req/s):', 'TTFT (ms):'];
/** Lines between figures of one block. */
const blockGap = 40;

/** First lines of serving figures outside of some stretches. */
function unreadServingFigures(artifact: ArtifactText, known: readonly Claim[]): number[] {
  const found: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let lastBefore = 0;
  for (const line of servingWords.some((word) => artifact.has(word)) ? artifact.linesWith(...servingWords) : []) {
    if (!servingFigure.test(artifact.lineAt(line))) continue;
    const before = countBefore(known, line + 1);
    if ((known[before - 1]?.to ?? 0) >= line) continue;
    if (line - last > blockGap || before !== lastBefore) found.push(line);
    last = line;
    lastBefore = before;
    if (found.length === objectsMax) break;
  }
  return found;
}

/**
 * Content of an artifact that no adapter claims, for the response: JSON objects, which occur in logs, figures of serving
 * blocks without their beginning, and sections with figures, which occur in notes.
 */
export function unclaimed(
  artifact: ArtifactText,
  sections: readonly Section[],
  claims: readonly { claim: Claim }[],
): string[] {
  const stretches = claims.map(({ claim }) => claim);
  const documents = artifact.json.documents
    .filter(({ from }) => (stretches[countBefore(stretches, from + 1) - 1]?.to ?? 0) < from)
    .slice(0, objectsMax);
  const examples = artifact.json.broken.filter(({ isExample }) => isExample === true).slice(0, objectsMax);
  const known = [...stretches, ...documents].sort((a, b) => a.from - b.from);
  return [
    ...documents.map(({ from }) => `JSON on line ${from}`),
    ...examples.map(({ line }) => `invalid JSON on line ${line}`),
    ...unreadServingFigures(artifact, stretches).map((line) => `serving figures without their block on line ${line}`),
    ...unreadSections(artifact, sections, known).map(toPlainText),
  ];
}
