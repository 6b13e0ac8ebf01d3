// Detects characters that make a name look like another name or invisible. Names that readers cannot distinguish are
// rejected.

/** Scripts with letters that look alike. Scripts not listed are distinguished only from these, not from each other. */
const scripts = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Georgian', /\p{Script=Georgian}/u],
  // Used together in one word, and with Latin letters.
  ['East Asian', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u],
] as const;

/** Characters that belong to no single script. */
const ofAnyScript = /[\p{Script=Common}\p{Script=Inherited}]/u;

const scriptOf = (letter: string): string | null =>
  ofAnyScript.test(letter) ? null : (scripts.find(([, letters]) => letters.test(letter))?.[0] ?? 'another script');

const word = /[\p{L}\p{M}\p{N}]+/gu;

/** Invisible or misleading characters: controls, joiners, direction changes, fillers, private use. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Styled letters and digits, such as mathematical ones, except the ordinal indicators. */
const dressed = /(?![\u00aa\u00ba])[\p{L}\p{Nd}]/u;

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const show = (character: string, more = '') => `"${character}" (${codePoint(character)}${more})`;

/** Returns the letter of a word with another script than the other letters; null if there is none. */
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
 * Returns why a text cannot be a name, as the end of a sentence that starts with the field; null if it can. Names the
 * character.
 */
export function deceptionIn(text: string): string | null {
  if (/^[ -~]*$/.test(text)) return null;
  for (const character of text) {
    if (invisible.test(character)) return `must not contain ${codePoint(character)}, which is invisible or misleading`;
    const plain = character.normalize('NFKC');
    if (character !== plain && /^[0-9A-Za-z]$/.test(plain) && dressed.test(character))
      return `must not contain ${show(character)}, which looks like "${plain}"`;
  }
  for (const [letters] of text.matchAll(word)) {
    const odd = mixed(letters);
    if (odd !== null) return `must not mix scripts within a word: ${odd} is among letters of another script`;
  }
  return null;
}
