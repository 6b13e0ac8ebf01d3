import { inflateSync } from 'node:zlib';

export interface Png {
  width: number;
  height: number;
  /** Number of pixels of a colour. */
  count(colour: readonly [red: number, green: number, blue: number]): number;
}

/** Reads a PNG that the site has drawn: 8 bits per channel, no filters, one chunk of pixels. */
export function readPng(png: Uint8Array): Png {
  const view = new DataView(png.buffer, png.byteOffset);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const rows = inflateSync(png.subarray(41, 41 + view.getUint32(33)));
  const count: Png['count'] = (colour) => {
    let found = 0;
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1) {
        const at = row * (width * 3 + 1) + 1 + column * 3;
        if (colour.every((value, channel) => rows[at + channel] === value)) found += 1;
      }
    return found;
  };
  return { width, height, count };
}
