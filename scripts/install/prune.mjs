// Plain JavaScript without packages, because it runs on the machine's own Node.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const unread = /\.(?:map|d\.[cm]?ts|md)$/i;
const licence = /^(?:licen[cs]e|notice|copying|copyright|patents|third)/i;

/** True if no process reads a file of this name. */
export const isUnread = (name) => unread.test(name) && !licence.test(name);

/** Removes source maps, type declarations and readmes from a folder, except below some of its folders. */
function removeUnread(folder, kept) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    // Links lead to the sources of this workspace. A recursive readdir of Node 24 would follow them.
    if (entry.isDirectory()) {
      if (!kept.includes(path)) removeUnread(path, kept);
    } else if (entry.isFile() && isUnread(entry.name)) rmSync(path);
  }
}

/**
 * Removes what no process reads: source maps, type declarations, readmes, the headers of Node, and the image library of the site
 * builder, because pages have no images to scale. They are a quarter of all files.
 */
export function prune(modules) {
  // Astro copies some of its declarations when it builds.
  removeUnread(modules, [join(modules, 'astro')]);
  rmSync(join(modules, '@img'), { recursive: true, force: true });
  for (const name of readdirSync(modules))
    if (/^node-(?:bin-)?(?:linux|darwin|win)/.test(name))
      for (const part of ['include', 'share']) rmSync(join(modules, name, part), { recursive: true, force: true });
}
