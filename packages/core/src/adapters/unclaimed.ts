import type { Claim } from './adapter.ts';
import { toPlainText } from './plain-facts.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { countBefore } from './reading/by-line.ts';
import { type Section, unreadSections } from './reading/sections.ts';

/** JSON objects that are named, at most. */
const mostTold = 20;

/**
 * What an artifact holds beside its results, to be named to its sender: JSON objects, which logs write, and sections with
 * figures, which notes have.
 */
export function unclaimed(
  artifact: ArtifactText,
  sections: readonly Section[],
  claims: readonly { claim: Claim }[],
): string[] {
  const stretches = claims.map(({ claim }) => claim);
  const documents = artifact.json.documents
    .filter(({ from }) => (stretches[countBefore(stretches, from + 1) - 1]?.to ?? 0) < from)
    .slice(0, mostTold);
  const known = [...stretches, ...documents].sort((a, b) => a.from - b.from);
  return [
    ...documents.map(({ from }) => `JSON on line ${from}`),
    ...unreadSections(artifact, sections, known).map(toPlainText),
  ];
}
