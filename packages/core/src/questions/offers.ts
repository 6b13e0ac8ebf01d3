import { DomainError } from '../errors.ts';
import { example } from './meaning/faults.ts';
import { type ParseOptions, parseQuestion } from './parse.ts';
import { toWords } from './to-words.ts';

/** Maximum attempts to remove words from a question. Each removes at least one. */
const triesMax = 6;

/** The rejected words, each with its replacement. */
const refusedIn = (error: DomainError) =>
  error.faults.flatMap(({ message }) => {
    const phrase = /^"(?<phrase>.+?)(?:\.\.\.)?" /u.exec(message)?.groups?.phrase;
    if (phrase === undefined) return [];
    // "latency" usually means the time to the first token.
    const instead = /^latency$/iu.test(phrase) ? 'ttft' : '';
    return [{ phrase, instead }];
  });

const replaced = (text: string, { phrase, instead }: { phrase: string; instead: string }) => {
  const at = text.toLowerCase().indexOf(phrase.toLowerCase());
  return at < 0 ? text : `${text.slice(0, at)} ${instead} ${text.slice(at + phrase.length)}`;
};

/**
 * Suggests questions similar to a rejected one, in canonical words, closest first: without the unknown words, then the
 * example. Each parses; it may have no results.
 */
export function offersFor(text: string, options: ParseOptions = {}): string[] {
  const offers: string[] = [];
  let left = text.slice(0, 500);
  for (let tries = 0; tries < triesMax; tries++) {
    try {
      offers.push(toWords(parseQuestion(left, options)));
      break;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const phrases = refusedIn(error);
      const next = phrases.reduce(replaced, left);
      if (next === left) break;
      left = next;
    }
  }
  return [...new Set([...offers, example, 'best system'])];
}
