import type { ArtifactText } from './artifact-text.ts';

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
  const rest = artifact.lines.slice(line - 1);
  if (documents.length > 0 && isOnlyJson && rest.every((text) => text.trim() === '')) {
    return documents.length === 1 ? 'application/json' : 'application/x-ndjson';
  }
  const lines = artifact.lines.filter((text) => text.trim() !== '');
  const isTableOnly = lines.every((text) => text.trimStart().startsWith('|') || text.startsWith('build: '));
  const hasMarkup = lines.some((text) => /^(?:#{1,6} |```)/.test(text));
  return isTableOnly || hasMarkup ? 'text/markdown' : 'text/plain';
}
