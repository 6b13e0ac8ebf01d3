import { round } from '../../charts/axis.ts';

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Place {
  x: number;
  y: number;
}

export interface Label extends Place {
  anchor: 'start' | 'end';
  /** Position of the curve's mark, for a label away from its point; null next to the point. */
  markAt: Place | null;
}

/** A curve by the positions of its points; the name is null if another curve has the label. */
export interface LabelledCurve {
  name: string | null;
  places: readonly Place[];
}

const lineHeight = 12;
/** Width of a letter in bold, at the size in the chart's styles. */
const letterWidth = 6.1;
/** Width of the mark before a name. */
const markWidth = 13;

/** The label of a vertical line, on the side with more room, and its area. */
export function lineLabel(at: number, text: string, plot: Box): { label: Omit<Label, 'markAt'>; box: Box } {
  const isLate = at > (plot.left + plot.right) / 2;
  const label = { x: at + (isLate ? -5 : 5), y: plot.top + 10, anchor: isLate ? ('end' as const) : ('start' as const) };
  const end = label.x + (isLate ? -1 : 1) * text.length * letterWidth;
  const [left, right] = [Math.min(at, end), Math.max(at, end)];
  return { label, box: { left, right, top: label.y - lineHeight, bottom: label.y + 3 } };
}

const isApart = (a: Box, b: Box) => a.left > b.right || a.right < b.left || a.top > b.bottom || a.bottom < b.top;
const around = ({ x, y }: Place, reach: number): Box => ({
  ...{ left: x - reach, right: x + reach },
  ...{ top: y - reach, bottom: y + reach },
});

/** A label next to a point of its curve, or `step` lines above or below it, with a separate mark. */
function placeAt(point: Place, size: number, step: number, anchor: 'start' | 'end'): Box & Label {
  const side = anchor === 'start' ? 1 : -1;
  const start = point.x + 9 * side;
  const y = round(point.y + 4 + step * lineHeight);
  const [markAt, x] = step === 0 ? [null, start] : [{ x: round(start + 5 * side), y: y - 4 }, start + markWidth * side];
  const end = x + size * side;
  const [left, right] = [Math.min(start, end), Math.max(start, end)];
  return { x: round(x), y, anchor, markAt, left, right, top: y - lineHeight + 3, bottom: y + 3 };
}

/** Points and line segments of a curve that a label must not cover. */
function inkOf({ places }: LabelledCurve): Box[] {
  const lines = places.slice(1).flatMap((to, at) => {
    const from = places[at] ?? to;
    // Samples are closer together than the height of a label.
    const pieces = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 9);
    return Array.from({ length: pieces }, (_, piece): Box => {
      const share = piece / pieces;
      return around({ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) }, 1);
    });
  });
  return [...places.map((place) => around(place, 5)), ...lines];
}

/** Distances between a label and its point, in lines, the nearest first. */
const steps = [0, -1, 1, -2, 2];

/**
 * Places a label next to a point of each named curve, starting with the last point, without covering a curve or another label.
 * If no position is free, it covers a curve rather than a label. Null for a curve without a name or a point.
 *
 * @param others areas that a label must not cover
 */
export function placeLabels(
  curves: readonly LabelledCurve[],
  plot: Box,
  others: readonly Box[] = [],
): (Label | null)[] {
  const ink = curves.flatMap(inkOf);
  const taken: Box[] = [...others];
  const isInternal = ({ left, right, top, bottom }: Box) =>
    left >= plot.left && right <= plot.right && top >= plot.top - lineHeight && bottom <= plot.bottom;
  return curves.map(({ name, places }) => {
    if (name === null || places.length === 0) return null;
    const size = name.length * letterWidth;
    const candidates = steps
      .flatMap((step) =>
        places.toReversed().flatMap((at) => [placeAt(at, size, step, 'start'), placeAt(at, size, step, 'end')]),
      )
      .filter(isInternal);
    const isFree = (place: Box, boxes: readonly Box[]) => boxes.every((box) => isApart(place, box));
    const found =
      candidates.find((place) => isFree(place, taken) && isFree(place, ink)) ??
      candidates.find((place) => isFree(place, taken));
    // Without a position, only the legend names the curve.
    if (found === undefined) return null;
    const { x, y, anchor, markAt, ...box } = found;
    taken.push(box);
    return { x, y, anchor, markAt };
  });
}
