import { crc32, deflateSync } from 'node:zlib';
import { createRandom } from '../pacing/random.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Squares of one color: an image of noise would not compress. */
const squarePx = 32;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG of colored squares. The same seed gives the same bytes, another seed another image. */
export function makePng(width: number, height: number, seed: number): Buffer {
  const random = createRandom(seed);
  const [columns, rows] = [Math.ceil(width / squarePx), Math.ceil(height / squarePx)];
  const colors = Buffer.alloc(3 * columns * rows);
  for (let at = 0; at < colors.length; at++) colors[at] = random.below(256);
  // A filter byte before each line.
  const stride = 1 + 3 * width;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const square = Math.floor(y / squarePx) * columns + Math.floor(x / squarePx);
      colors.copy(pixels, y * stride + 1 + 3 * x, 3 * square, 3 * square + 3);
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of red, green and blue each.
  header.set([8, 2], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}
