import type { ArtifactText } from './artifact-text.ts';

function isBlankFrom(artifact: ArtifactText, from: number): boolean {
  for (let line = from; line <= artifact.lines.length; line++) if (artifact.lineAt(line).trim() !== '') return false;
  return true;
}

/** What the content is, whatever a client called it: JSON, JSON lines, Markdown or text. */
export function toMediaType(artifact: ArtifactText): string {
  const { documents } = artifact.json;
  let line = 1;
  const isOnlyJson = documents.every(({ from, to }) => {
    while (line < from && artifact.lineAt(line).trim() === '') line++;
    const isNext = line >= from;
    line = to + 1;
    return isNext;
  });
  if (documents.length > 0 && isOnlyJson && isBlankFrom(artifact, line)) {
    return documents.length === 1 ? 'application/json' : 'application/x-ndjson';
  }
  let isTableOnly = true;
  for (const text of artifact.lines) {
    if (/^(?:#{1,6} |```)/.test(text)) return 'text/markdown';
    if (isTableOnly && !/^(?:\s*(?:\||$)|build: )/.test(text)) isTableOnly = false;
  }
  return isTableOnly ? 'text/markdown' : 'text/plain';
}
