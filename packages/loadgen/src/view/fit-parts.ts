import { stripVTControlCharacters } from 'node:util';

/** A part of a line. */
export interface Part {
  text: string;
  /** The part with the lowest number is omitted first; a part without a number is never omitted. */
  keep?: number;
}

const widthOf = (parts: readonly Part[], separator: string) =>
  stripVTControlCharacters(parts.map(({ text }) => text).join(separator)).length;

/**
 * Joins the parts of a line that fit into a width. Parts are omitted as a whole, because a figure without its last digits is
 * another figure. Null if the parts that are never omitted do not fit.
 */
export function fitParts(parts: readonly Part[], separator: string, width: number): string | null {
  let shown = [...parts];
  while (widthOf(shown, separator) > width) {
    const least = shown.reduce<Part | null>(
      (found, part) =>
        part.keep !== undefined && part.keep <= (found?.keep ?? Number.POSITIVE_INFINITY) ? part : found,
      null,
    );
    if (least === null) return null;
    shown = shown.filter((part) => part !== least);
  }
  return shown.map(({ text }) => text).join(separator);
}

/** The parts of a line whose first one is always shown. The last ones are omitted first. */
export const fromLeft = (texts: readonly string[]): Part[] =>
  texts.map((text, place) => (place === 0 ? { text } : { text, keep: -place }));
