import { distance } from 'fastest-levenshtein';

/** True if two adjacent letters are swapped: "sglnag". */
function isSwapped(word: string, other: string): boolean {
  if (word.length !== other.length) return false;
  const at = [...word].findIndex((letter, place) => letter !== other[place]);
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`;
  return at >= 0 && swapped === other;
}

/** Separate words that resemble a word of the grammar. */
const own: ReadonlySet<string> = new Set([
  'last',
  'past',
  'lease',
  'coast',
  'form',
  'next',
  'minor',
  'modern',
  'lover',
  'moral',
]);

const digitsOf = (text: string) => text.replace(/\D/gu, '');

/**
 * Returns the one known word that a misspelled word means. One letter may be extra, missing, wrong or swapped; from eight
 * letters on, two may. The first letter and the digits must be equal, and no other word may be as close. Null if there is
 * none.
 */
export function correct(word: string, known: ReadonlySet<string>): string | null {
  if (word.length < 4 || own.has(word) || !/^\p{L}/u.test(word)) return null;
  const most = word.length < 8 ? 1 : 2;
  let best: { text: string; away: number; isBegun: boolean } | null = null;
  let isShared = false;
  for (const text of known) {
    if (Math.abs(text.length - word.length) > most || text.length < 4) continue;
    if (text[0] !== word[0] || digitsOf(text) !== digitsOf(word)) continue;
    const away = isSwapped(word, text) ? 1 : distance(word, text);
    if (away > most || away > (best?.away ?? most)) continue;
    const isBegun = text.startsWith(word) || word.startsWith(text);
    if (best !== null && away === best.away && (best.isBegun || !isBegun)) {
      isShared ||= best.isBegun === isBegun;
      continue;
    }
    isShared = false;
    best = { text, away, isBegun };
  }
  return best === null || isShared ? null : best.text;
}
