import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { drawCard } from './card.ts';
import { fitText, measureText, wrapText } from './text.ts';

const card = { kicker: 'System', title: 'Llama 3.1 8B', subtitle: '2x H200', figure: null, facts: 'n 3' };
const style = { size: 40, weight: 'bold' } as const;

/** The picture's pixels, three bytes each. */
function pixelsOf(png: Uint8Array): Uint8Array {
  const view = new DataView(png.buffer, png.byteOffset);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  // The header's chunk is 25 bytes long; the pixels are in the one after it.
  const rows = inflateSync(png.subarray(41, 41 + view.getUint32(33)));
  const pixels = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    pixels.set(rows.subarray(row * (width * 3 + 1) + 1, (row + 1) * (width * 3 + 1)), row * width * 3);
  }
  return pixels;
}

const darkPixels = (png: Uint8Array) => pixelsOf(png).reduce((count, value) => count + (value < 128 ? 1 : 0), 0);

test('draws a card as an image with text', () => {
  const png = drawCard(card);
  expect([...png.subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
  expect(darkPixels(png)).toBeGreaterThan(darkPixels(drawCard({ ...card, title: '' })) + 1000);
});

// The same text yields the same image on every machine.
test('replaces characters without outlines', () => {
  expect(measureText('日', style)).toBe(measureText('?', style));
  expect(drawCard({ ...card, title: '日本 \u0007 __proto__ constructor' }).length).toBeGreaterThan(1000);
});

test('cuts long text with a visible ellipsis', () => {
  const long = 'a'.repeat(500);
  const fitted = fitText(long, 300, style);
  expect(fitted.endsWith('…')).toBe(true);
  expect(measureText(fitted, style)).toBeLessThanOrEqual(300);
  expect(fitText('short', 300, style)).toBe('short');
  const lines = wrapText('one two three four five six seven eight nine ten', 200, 2, style);
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(measureText(line, style)).toBeLessThanOrEqual(200);
});

test('draws a card with the longest names at the same size', () => {
  const long = 'x'.repeat(2000);
  const figure = { value: '1', unit: long, note: long };
  const png = drawCard({ kicker: long.slice(0, 20), title: long, subtitle: long, figure, facts: long });
  expect(pixelsOf(png)).toHaveLength(pixelsOf(drawCard(card)).length);
});
