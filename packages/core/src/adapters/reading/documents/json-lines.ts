import { type JsonValue, maxDepth, maxNames } from './json.ts';

// Most documents are one-line records that all JSON readers parse identically. The engine's parser is five times as fast as
// ours. It is used only if the results are certain to be the same.

const quote = 0x22;
const blank = 0x20;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Whole numbers from this value on may have been rounded. */
const exactBelow = 2 ** 53;

/**
 * Colons after quotes, at least as many as there are names. Null if a space may follow a name. In a text without
 * backslashes, quotes only delimit strings, but a string may contain similar text.
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

/** Names within a value; NaN if it has a number that may differ from the written one, or is nested too deeply. */
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
    count += countNames(value[name] as JsonValue, depth + 1); // own property: nothing is inherited
  }
  return names > maxNames ? Number.NaN : count + names;
}

/**
 * The object or array that fills the line from `offset` to `lineEnd`, and its end. Null for other content, or if `readJson`
 * might read it differently or report an error: escapes, numbers that a double cannot hold, duplicate names, `NaN`. Offsets
 * count UTF-16 units.
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
    // Fewer names than in the text: one of them is a duplicate.
    return countNames(value, 0) === names ? { value, end } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
