// Characters by which a name looks like another one, or like none: what readers cannot tell apart must not be two names.

/** Scripts whose letters look like each other's. One without a name here is told from them, not from its like. */
const scripts = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Georgian', /\p{Script=Georgian}/u],
  // Written in one word, and beside Latin letters.
  ['East Asian', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u],
] as const;

/** Letters of every script, and signs that belong to no script. */
const ofAnyScript = /[\p{Script=Common}\p{Script=Inherited}]/u;

const scriptOf = (letter: string): string | null =>
  ofAnyScript.test(letter) ? null : (scripts.find(([, letters]) => letters.test(letter))?.[0] ?? 'another script');

const word = /[\p{L}\p{M}\p{N}]+/gu;

/** Not seen, or not as what stands there: controls, joiners, changes of direction, fillers, private use. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Letters and digits in another dress, such as those of mathematics, but for the ordinal signs. */
const dressed = /(?![\u00aa\u00ba])[\p{L}\p{Nd}]/u;

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const show = (character: string, more = '') => `"${character}" (${codePoint(character)}${more})`;

/** The letter of a word that is of another script than the others; null if there is none. */
function mixed(letters: string): string | null {
  const first = new Map<string, string>();
  for (const letter of letters) {
    const script = scriptOf(letter);
    if (script !== null && !first.has(script)) first.set(script, letter);
  }
  const others = [...first].filter(([script]) => script !== 'Latin');
  const [script, letter] = others[0] ?? [];
  if (script === undefined || letter === undefined || first.size < 2) return null;
  return first.size === 2 && first.has('Latin') && script === 'East Asian' ? null : show(letter, `, ${script}`);
}

/**
 * What keeps a text from being a name, as the end of a sentence that begins with the field; null if nothing does. It names
 * the character.
 */
export function deceptionIn(text: string): string | null {
  if (/^[ -~]*$/.test(text)) return null;
  for (const character of text) {
    if (invisible.test(character)) return `must not hold ${codePoint(character)}, which is not seen as what it is`;
    const plain = character.normalize('NFKC');
    if (character !== plain && /^[0-9A-Za-z]$/.test(plain) && dressed.test(character))
      return `must not hold ${show(character)}, which looks like "${plain}"`;
  }
  for (const [letters] of text.matchAll(word)) {
    const odd = mixed(letters);
    if (odd !== null) return `must not mix scripts within a word: ${odd} stands among letters of another`;
  }
  return null;
}
