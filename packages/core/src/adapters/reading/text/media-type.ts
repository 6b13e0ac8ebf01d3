import type { ArtifactText } from './artifact-text.ts';

/** Whether documents fill an artifact. `isBetween` reports whether a line may occur around them. */
function isFilled(artifact: ArtifactText, isBetween: (line: string) => boolean): boolean {
  const { documents } = artifact.json;
  let line = 1;
  const skip = (before: number) => {
    while (line < before && isBetween(artifact.lineAt(line))) line++;
    return line >= before;
  };
  const areNext = documents.every(({ from, to }) => {
    const isNext = skip(from);
    line = to + 1;
    return isNext;
  });
  return documents.length > 0 && areNext && skip(artifact.lines.length + 1);
}

const isBlank = (line: string) => line.trim() === '';
const isYamlBetween = (line: string) => /^(?:\s*(?:#.*)?|---\s*|\.\.\.\s*)$/.test(line);

/** The media type of the content, independent of the client's: JSON, JSON lines, YAML, Markdown or text. */
export function toMediaType(artifact: ArtifactText): string {
  // JSON with prefixes is not JSON.
  if (artifact.isLog) return 'text/plain';
  if (artifact.prefixed !== null) return toMediaType(artifact.prefixed);
  const { documents } = artifact.json;
  const isJson = ({ from }: { from: number }) => /^\s*[[{]/.test(artifact.lineAt(from));
  if (documents.every(isJson) && isFilled(artifact, isBlank)) {
    return documents.length === 1 ? 'application/json' : 'application/x-ndjson';
  }
  if (!documents.some(isJson) && isFilled(artifact, isYamlBetween)) return 'application/yaml';
  const isMarked = (line: number) => /^(?:#{1,6} |```)/.test(artifact.lineAt(line));
  if (artifact.linesWith('# ', '```').some(isMarked)) return 'text/markdown';
  for (const text of artifact.lines) {
    if (!/^(?:\s*(?:\||$)|build: )/.test(text)) return 'text/plain';
  }
  return 'text/markdown';
}
