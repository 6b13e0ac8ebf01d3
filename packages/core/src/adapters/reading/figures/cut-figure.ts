import type { ArtifactText } from '../text/artifact-text.ts';
import { cachedPerArtifact } from '../text/cached-per-artifact.ts';

/**
 * Whether the last number of an unfinished report was cut: its program prints all figures with this many decimals. A line end
 * may follow, because editors and forums add one.
 */
export function isCutFigure(text: string, decimals: number): boolean {
  const number = /^-?[\d,]*(?:\.(\d*))?$/.exec(text.trim());
  return number !== null && text.trim() !== '' && (number[1] ?? '').length < decimals;
}

/** Number of the last line with text; 0 if there is none. */
const lastLineOf = cachedPerArtifact(({ lines }) => lines.findLastIndex((text) => text.trim() !== '') + 1);

/** Whether no text follows a line, so that the report may have been cut within it. */
export const isLastLine = (artifact: ArtifactText, line: number): boolean => lastLineOf(artifact) <= line;
