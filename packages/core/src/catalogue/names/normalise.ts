import { distance } from 'fastest-levenshtein';
import { memoize } from '../memo.ts';

/** Maximum length of a name. Text after it cannot turn the name into an entry of the catalogue. */
export const nameLength = 300;

/**
 * Normalizes a name that the catalogue does not contain: compatibility normalization, trim, collapse whitespace, lower case.
 */
export function catalogueKey(text: string): string {
  // Lower-casing can decompose letters, so compose again at the end.
  return text.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase().normalize('NFKC');
}

/** `catalogueKey` of the start of a text, the first step of every look-up. Removes trade-mark signs. */
export function lookupText(text: string): string {
  return catalogueKey(text.slice(0, nameLength).replace(/[®™©]|\((?:r|tm|c)\)/giu, ' '));
}

/** A look-up key without separators: "Q4_K - Medium" and "q4_k medium" become equal. */
export function compactKey(text: string): string {
  return lookupText(text).replace(/[^\p{L}\p{N}.+]/gu, '');
}

/** Placeholders for undisclosed facts. The catalogue does not interpret them. */
const waivers: ReadonlySet<string> = new Set(['', 'unspecified', 'not applicable', 'not_applicable', 'n/a']);

export const isWaived: (text: string) => boolean = memoize(
  (text: string) => waivers.has(lookupText(text)),
  (text) => text,
);

/** An alias, as a key of its kind, and its entry. */
export interface Alias {
  key: string;
  id: string;
}

/** Maximum edit distance of a suggestion, per ten characters. */
const differingOfTen = 3.5;

/** The letters of a key as a bit mask; several letters share a bit. */
function lettersOf(key: string): number {
  let bits = 0;
  for (let at = 0; at < key.length; at++) bits |= 1 << (key.charCodeAt(at) & 31);
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

const lettersOfList = new WeakMap<readonly Alias[], Int32Array>();

/** Cached per list, because every unknown name is compared with the whole list. */
function lettersOfAll(aliases: readonly Alias[]): Int32Array {
  const before = lettersOfList.get(aliases);
  if (before !== undefined) return before;
  const letters = Int32Array.from(aliases, (alias) => lettersOf(alias.key));
  lettersOfList.set(aliases, letters);
  return letters;
}

/**
 * Returns up to three ids whose aliases are closest to `key` by edit distance, closest first, without distant ones. Offer
 * them as suggestions; never replace the given name with one.
 */
export function nearestIds(key: string, aliases: readonly Alias[], limit = 3): string[] {
  const best = new Map<string, number>();
  const reach = Math.floor((key.length * differingOfTen) / 10);
  if (reach === 0) return [];
  const letters = lettersOf(key);
  const known = lettersOfAll(aliases);
  for (const [at, alias] of aliases.entries()) {
    if (Math.abs(alias.key.length - key.length) > reach) continue;
    // One edit removes at most one letter, so most aliases need no distance calculation.
    if (countBits(letters & ~(known[at] ?? 0)) > reach) continue;
    const edits = distance(key, alias.key);
    if (edits <= reach && edits < (best.get(alias.id) ?? Number.POSITIVE_INFINITY)) best.set(alias.id, edits);
  }
  return [...best]
    .sort(([idA, a], [idB, b]) => a - b || (idA < idB ? -1 : 1))
    .slice(0, limit)
    .map(([id]) => id);
}

/**
 * Indexes aliases by key. Throws if two entries share an alias, so that loading the catalogue detects the error before any
 * submission does.
 */
export function indexAliases(kind: string, aliases: readonly Alias[]): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const { key, id } of aliases) {
    const other = index.get(key);
    if (other !== undefined && other !== id) throw new Error(`${kind} alias "${key}" names both ${other} and ${id}`);
    index.set(key, id);
  }
  return index;
}
