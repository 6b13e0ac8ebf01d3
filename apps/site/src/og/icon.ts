import { toPng } from './png.ts';
import { type Colour, createCanvas, fillBox } from './raster.ts';

const ink: Colour = [27, 26, 23];
const lead: Colour = [166, 61, 0];

/** Bars of the logo in a square of 32, as in `favicon.svg`. */
const bars: readonly (readonly [y: number, width: number, colour: Colour])[] = [
  [5, 26, lead],
  [13, 17, ink],
  [21, 9, ink],
];

/**
 * The logo on white as PNG.
 *
 * @param inset margin on each side, as a fraction of the side
 */
export function drawIcon(size: number, inset = 0): Uint8Array<ArrayBuffer> {
  const canvas = createCanvas(size, size, [255, 255, 255]);
  const scale = (size * (1 - 2 * inset)) / 32;
  const start = size * inset;
  for (const [y, width, colour] of bars)
    fillBox(canvas, start + 3 * scale, start + y * scale, width * scale, 6 * scale, colour);
  return toPng(canvas);
}

/** An ICO file with one PNG of 32 by 32 pixels. */
export function toIco(png: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = 22;
  const ico = new Uint8Array(head + png.length);
  const view = new DataView(ico.buffer);
  view.setUint16(2, 1, true);
  view.setUint16(4, 1, true);
  ico.set([32, 32], 6);
  view.setUint16(10, 1, true);
  view.setUint16(12, 24, true);
  view.setUint32(14, png.length, true);
  view.setUint32(18, head, true);
  ico.set(png, head);
  return ico;
}

/** A response that browsers keep for a day. */
export const iconResponse = (bytes: Uint8Array<ArrayBuffer>, type: string): Response =>
  new Response(bytes, { headers: { 'content-type': type, 'cache-control': 'public, max-age=86400' } });
