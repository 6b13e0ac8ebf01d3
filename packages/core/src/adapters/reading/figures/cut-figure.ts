import type { ArtifactText } from '../text/artifact-text.ts';

/**
 * Whether the last number of an unfinished report was cut: its program prints all figures with this many decimals. A line end
 * may follow, because editors and forums add one.
 */
export function isCutFigure(text: string, decimals: number): boolean {
  const number = /^-?[\d,]*(?:\.(\d*))?$/.exec(text.trim());
  return number !== null && text.trim() !== '' && (number[1] ?? '').length < decimals;
}

/** Whether no text follows a line, so that the report may have been cut within it. */
export function isLastLine({ lines }: ArtifactText, line: number): boolean {
  return lines.findLastIndex((text) => text.trim() !== '') + 1 <= line;
}
