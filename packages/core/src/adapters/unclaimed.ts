import type { Claim } from './adapter.ts';
import { toPlainText } from './plain-facts.ts';
import type { ArtifactText } from './reading/text/artifact-text.ts';
import { countBefore } from './reading/text/by-line.ts';
import { type Section, unreadSections } from './reading/text/sections.ts';

/** Maximum number of JSON objects in the list. */
const objectsMax = 20;

/**
 * Content of an artifact that no adapter claims, for the response: JSON objects, which occur in logs, and sections with
 * figures, which occur in notes.
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
    ...unreadSections(artifact, sections, known).map(toPlainText),
  ];
}
