import { type JsonValue, maxDepth, maxNames } from './json.ts';

// Most documents are records of one line that any reader of JSON reads the same way. The engine's own is five times as
// fast as ours; what it would read otherwise is not taken from it.

const quote = 0x22;
const blank = 0x20;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Whole numbers from here on may have been rounded. */
const exactBelow = 2 ** 53;

/**
 * Colons behind quotes, at least as many as there are names. Null where a name may be followed by a blank: text without a
 * backslash has quotes around strings alone, but a string may hold whatever looks like that.
 */
function countNamesAtMost(text: string): number | null {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === quote) count++;
    else if (before <= blank) return null;
  }
  return count;
}

/** Names within a value; NaN where it holds a number that may not be the one written, or is nested too deeply. */
function countNames(value: JsonValue, depth: number): number {
  if (typeof value === 'number') return Math.abs(value) < exactBelow ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= maxDepth) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countNames(item, depth + 1);
    return count;
  }
  let names = 0;
  for (const name in value) {
    names++;
    count += countNames(value[name] as JsonValue, depth + 1); // its own name: nothing is inherited
  }
  return names > maxNames ? Number.NaN : count + names;
}

/**
 * The object or array that is all there is from `offset` to the end of its line at `lineEnd`, and where it ends; null
 * where that is something else, or where `readJson` might read it differently or has something to say about it: escapes, numbers that
 * a double cannot hold, names that occur twice, `NaN`. Offsets count UTF-16 units.
 */
export function readPlainLine(text: string, offset: number, lineEnd: number): { value: JsonValue; end: number } | null {
  let end = lineEnd;
  while (end > offset && text.charCodeAt(end - 1) <= blank) end--;
  const last = text.charCodeAt(end - 1);
  if (last !== closeBrace && last !== closeBracket) return null;
  const line = text.slice(offset, end);
  if (line.includes('\\') || line.includes('__proto__') || !line.isWellFormed()) return null;
  const names = countNamesAtMost(line);
  if (names === null) return null;
  try {
    const value: JsonValue = JSON.parse(line);
    // Fewer names than were written: one of them twice.
    return countNames(value, 0) === names ? { value, end } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
