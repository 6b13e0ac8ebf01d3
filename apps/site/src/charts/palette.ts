/** Shapes and Okabe-Ito colours by position in a legend. Colours are class names; CSS sets the shade for the theme. */
export interface SeriesMark {
  className: string;
  /** Path of the marker around (0, 0). */
  shape: string;
}

const shapes = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z',
  'M-3.6 -3.6H3.6V3.6H-3.6Z',
  'M0 -4.6L4.4 3.4H-4.4Z',
  'M0 -5L5 0L0 5L-5 0Z',
  'M-4.4 -3.4H4.4L0 4.6Z',
  'M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z',
  'M0 -4.8L4.6 -1.5L2.8 3.9H-2.8L-4.6 -1.5Z',
];

const colours = 7;

/** The dashes of `series.css` by position in a legend, for files that have no style sheet. Empty for a solid line. */
export const dashes: readonly (readonly number[])[] = [
  [],
  [7, 3],
  [2, 3],
  [9, 3, 2, 3],
  [4, 2],
  [12, 4],
  [5, 2, 1, 2, 1, 2],
];

/** The position of a series in the cycle of colours and dashes. */
export const seriesIndex = ({ className }: SeriesMark): number => Number(className.replace('series-', '')) - 1;

export function seriesMark(index: number): SeriesMark {
  // Shapes advance after a full cycle of colours, so the first 49 series all differ.
  const shape = shapes[(index + Math.floor(index / colours)) % shapes.length] ?? '';
  return { className: `series-${(index % colours) + 1}`, shape };
}
