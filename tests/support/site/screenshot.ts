/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** How a screenshot differs from its baseline. */
interface Difference {
  /** Sizes in pixels, `1280x2400`; they must be equal. */
  sizes: [string, string];
  /** Pixels that differ visibly, as a share of all; 1 if the sizes differ. */
  share: number;
}

/** Sum of the differences of red, green and blue from which a pixel counts: smoothed edges differ less. */
const visible = 60;

/** Compares two PNG files in the canvas of the page, which can be any page. */
export function compareScreenshots(page: Page, one: Buffer, other: Buffer): Promise<Difference> {
  const compare = async ([first = '', second = '', least = '']: string[]): Promise<Difference> => {
    const pixelsOf = async (data: string) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      if (context === null) throw new Error('no canvas');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const [a, b] = [await pixelsOf(first), await pixelsOf(second)];
    const sizes: [string, string] = [`${a.width}x${a.height}`, `${b.width}x${b.height}`];
    if (sizes[0] !== sizes[1]) return { sizes, share: 1 };
    let count = 0;
    for (let at = 0; at < a.data.length; at += 4) {
      let sum = 0;
      for (let channel = at; channel < at + 3; channel += 1)
        sum += Math.abs((a.data[channel] ?? 0) - (b.data[channel] ?? 0));
      if (sum >= Number(least)) count += 1;
    }
    return { sizes, share: count / (a.width * a.height) };
  };
  return page.evaluate(compare, [one.toString('base64'), other.toString('base64'), String(visible)]);
}
