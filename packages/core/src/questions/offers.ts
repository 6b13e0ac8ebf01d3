import { DomainError } from '../errors.ts';
import { example } from './meaning/faults.ts';
import { type ParseOptions, parseQuestion } from './parse.ts';
import { toWords } from './to-words.ts';

/** Maximum attempts to remove words from a question. Each removes at least one. */
const triesMax = 6;

/** The rejected words, each with its replacement. */
const refusedIn = (error: DomainError) =>
  error.faults.flatMap(({ code, message, hint }) => {
    const phrase = /^"(?<phrase>.+?)(?:\.\.\.)?" /u.exec(message)?.groups?.phrase;
    return phrase === undefined ? [] : [{ phrase, instead: insteadOf(code, phrase, hint ?? '') }];
  });

/** The likely meaning of rejected words; empty without one. */
function insteadOf(code: string, phrase: string, hint: string): string {
  // "latency" usually means the time to the first token.
  if (/^latency$/iu.test(phrase)) return 'ttft';
  // Three digits after the point are more often thousands.
  if (code === 'number_ambiguous') return phrase.replace('.', '');
  if (code === 'name_ambiguous') return /^Use (?<first>\w+ ".+?")/u.exec(hint)?.groups?.first ?? '';
  return code === 'currency_unknown' ? inDollars(phrase) : '';
}

/** "under €2 per hour" with the same number of dollars. */
const inDollars = (phrase: string): string =>
  phrase
    .replace(/(?<number>[\d.,]+) ?(?:[€£]|eur(?:os?)?\b|gbp\b|pounds?\b)/iu, '$$$<number>')
    .replace(/[€£] ?/u, '$$');

const replaced = (text: string, { phrase, instead }: { phrase: string; instead: string }) => {
  const at = text.toLowerCase().indexOf(phrase.toLowerCase());
  if (at < 0) return text;
  // "no mtp deepseek": the negation is of the rejected word.
  const before = instead === '' ? text.slice(0, at).replace(/\b(?:no|not|non|without)[ -]*$/iu, '') : text.slice(0, at);
  return `${before} ${instead} ${text.slice(at + phrase.length)}`;
};

/** The question in canonical words, without its rejected words or with their replacements; empty if none is left. */
function understoodPart(text: string, options: ParseOptions, isReplaced: boolean): string[] {
  let left = text.slice(0, 500);
  for (let tries = 0; tries < triesMax; tries++) {
    try {
      return [toWords(parseQuestion(left, options))];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const phrases = refusedIn(error).map((one) => (isReplaced ? one : { ...one, instead: '' }));
      const next = phrases.reduce(replaced, left);
      if (next === left) break;
      left = next;
    }
  }
  return [];
}

/**
 * Suggests questions similar to a rejected one, in canonical words, closest first: with the likely meaning of the rejected words,
 * without them, then the example. Each parses; it may have no results.
 */
export function offersFor(text: string, options: ParseOptions = {}): string[] {
  const own = [true, false].flatMap((isReplaced) => understoodPart(text, options, isReplaced));
  return [...new Set([...own, example, 'best system'])];
}
