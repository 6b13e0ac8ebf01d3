/** Shapes and Okabe-Ito colours by place in a legend. The colours are classes: CSS picks their shade for the theme. */
export interface SeriesMark {
  className: string;
  /** Path of the marker around 0,0. */
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

export function seriesMark(index: number): SeriesMark {
  // Shapes turn over after colours have, so no two of the first 49 series look alike.
  const shape = shapes[(index + Math.floor(index / colours)) % shapes.length] ?? '';
  return { className: `series-${(index % colours) + 1}`, shape };
}
