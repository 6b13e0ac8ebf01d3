// Applies the fixes in patches/ to node_modules: unified diffs, named PACKAGE+VERSION.patch. A file that has them is
// unchanged. Plain JavaScript without packages, because it runs before there are any.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The hunks of a diff by file: for each the lines that were there, those that come, and the first line. */
function readPatch(text) {
  const files = new Map();
  let hunks = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('diff --git ')) hunks = null;
    else if (line.startsWith('+++ b/')) {
      hunks = [];
      files.set(line.slice('+++ b/'.length), hunks);
    } else if (hunks !== null && line.startsWith('@@ ')) {
      const [, from] = /^@@ -(\d+)/.exec(line) ?? [];
      hunks.push({ from: Number(from) - 1, before: [], after: [] });
    } else if (hunks !== null && hunks.length > 0) {
      const { before, after } = hunks.at(-1);
      const [sign, rest] = [line[0], line.slice(1)];
      if (sign === ' ' || sign === '-') before.push(rest);
      if (sign === ' ' || sign === '+') after.push(rest);
    }
  }
  return files;
}

const isAt = (lines, at, wanted) => wanted.every((line, index) => lines[at + index] === line);

/** The text with all hunks applied; null where it has them already. @throws Error where it is another text */
function patched(text, hunks) {
  const lines = text.split('\n');
  let moved = 0;
  if (
    hunks.reduce((at, { from, before, after }) => {
      const is = at !== null && isAt(lines, from + at, after);
      return is ? at + after.length - before.length : null;
    }, 0) !== null
  )
    return null;
  for (const { from, before, after } of hunks) {
    if (!isAt(lines, from + moved, before)) throw new Error(`line ${from + moved + 1} is not as the patch expects it`);
    lines.splice(from + moved, before.length, ...after);
    moved += after.length - before.length;
  }
  return lines.join('\n');
}

/** Applies every patch whose package is installed. @throws Error naming the file that a patch does not fit */
export function applyPatches(base = root) {
  for (const name of readdirSync(join(root, 'patches')).sort()) {
    if (!name.endsWith('.patch')) continue;
    for (const [file, hunks] of readPatch(readFileSync(join(root, 'patches', name), 'utf8'))) {
      const path = join(base, file);
      if (!existsSync(path)) continue;
      try {
        const text = patched(readFileSync(path, 'utf8'), hunks);
        if (text !== null) writeFileSync(path, text);
      } catch (error) {
        throw new Error(`patches/${name} does not fit ${file}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) applyPatches();
