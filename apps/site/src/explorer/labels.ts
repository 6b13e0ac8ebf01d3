import { round } from '../charts/axis.ts';

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Label {
  x: number;
  y: number;
  anchor: 'start' | 'end';
}

/** Of bold text at the size that the explorer's styles give it on a wide screen. */
const [height, letterWidth] = [10, 5];
const gap = 7;

/** Labels beside the ends of their curves, moved up or down where they would cover each other. */
export function placeLabels(ends: readonly { name: string; x: number; y: number }[], plot: Box): Label[] {
  const taken: { left: number; right: number; y: number }[] = [];
  return ends.map(({ name, x, y }) => {
    const width = name.length * letterWidth;
    const fitsRight = x + gap + width <= plot.right;
    const left = fitsRight ? x + gap : x - gap - width;
    const isFree = (at: number) =>
      at > plot.top - gap &&
      at < plot.bottom - 2 &&
      taken.every((box) => Math.abs(box.y - at) >= height || left > box.right || left + width < box.left);
    const steps = Array.from({ length: 24 }, (_, step) => Math.ceil(step / 2) * (step % 2 === 0 ? 1 : -1));
    const at = steps.map((step) => y - 4 + step * height).find(isFree) ?? y - 4;
    taken.push({ left, right: left + width, y: at });
    return { x: round(fitsRight ? left : left + width), y: round(at), anchor: fitsRight ? 'start' : 'end' };
  });
}
