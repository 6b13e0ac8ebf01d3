import { distance } from 'fastest-levenshtein';
import { remember } from './memo.ts';

/** Longest name looked at; what lies beyond cannot make it an entry of the catalogue. */
export const nameLength = 300;

/**
 * The form in which two names are compared that the catalogue does not know: compatibility-normalised, trimmed,
 * blanks collapsed, lower case.
 */
export function catalogueKey(text: string): string {
  // Lower-casing can take letters apart that belong composed, so composing comes last again.
  return text.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase().normalize('NFKC');
}

/** `catalogueKey` of the start of a text: what every look-up begins with. Trade-mark signs go. */
export function lookupText(text: string): string {
  return catalogueKey(text.slice(0, nameLength).replace(/[®™©]|\((?:r|tm|c)\)/giu, ' '));
}

/** A look-up key without any separator: "Q4_K - Medium" and "q4_k medium" meet here. */
export function compactKey(text: string): string {
  return lookupText(text).replace(/[^\p{L}\p{N}.+]/gu, '');
}

/** Names that stand for "I will not say" in place of a fact. The catalogue has no opinion about them. */
const waivers: ReadonlySet<string> = new Set(['', 'unspecified', 'not applicable', 'not_applicable', 'n/a']);

export const isWaived: (text: string) => boolean = remember(
  (text: string) => waivers.has(lookupText(text)),
  (text) => text,
);

/** An alias, in the form of its kind's keys, and the entry it names. */
export interface Alias {
  key: string;
  id: string;
}

/** How many characters of ten may differ before a suggestion is a guess. */
const differingOfTen = 3.5;

/** The letters of a key as bits, several to a bit. */
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

/** Kept for each list: every unknown name is compared with all of it. */
function lettersOfAll(aliases: readonly Alias[]): Int32Array {
  const before = lettersOfList.get(aliases);
  if (before !== undefined) return before;
  const letters = Int32Array.from(aliases, (alias) => lettersOf(alias.key));
  lettersOfList.set(aliases, letters);
  return letters;
}

/**
 * Up to three ids whose aliases are nearest to `key` by edit distance, nearest first; none that is far away. For people
 * to pick from, never to put in place of what was written.
 */
export function nearestIds(key: string, aliases: readonly Alias[], limit = 3): string[] {
  const best = new Map<string, number>();
  const reach = Math.floor((key.length * differingOfTen) / 10);
  if (reach === 0) return [];
  const letters = lettersOf(key);
  const known = lettersOfAll(aliases);
  for (const [at, alias] of aliases.entries()) {
    if (Math.abs(alias.key.length - key.length) > reach) continue;
    // An edit takes away one letter at most, so most aliases need no table of distances.
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
 * Aliases by key. Two entries with one alias are a mistake in the data, found when the catalogue loads and not by the
 * submitter whose GPU became another one.
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
