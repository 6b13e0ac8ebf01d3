/// <reference lib="dom" />
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/** Pixels that the page is wide, what lies beyond the window included. */
export const pageWidth = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

/** Bytes of the scripts that a page loads, packed as servers pack them. */
export async function scriptBytes(url: string): Promise<number> {
  const html = await (await fetch(url)).text();
  const seen = new Set(
    [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, src = '']) => new URL(src, url).href),
  );
  let bytes = 0;
  for (const address of seen) {
    const text = await (await fetch(address)).text();
    bytes += brotliCompressSync(text).length;
    // What a script imports is loaded too; a set goes on with what is added to it on the way.
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["'](\.[^"']+)["']/g)) {
      seen.add(new URL(imported, address).href);
    }
  }
  return bytes;
}
