import type { Fault } from '../errors.ts';

/** A message and a hint for readers. */
type Said = Pick<Fault, 'code' | 'message' | 'hint'>;

/**
 * Joins errors for readers: words that are not understood and have the same hint share a sentence, and equal messages are
 * listed once.
 */
export function faultSentences(faults: readonly Said[]): Said[] {
  const groups = Map.groupBy(faults, ({ code, message, hint }) => (code === 'word_unknown' ? (hint ?? '') : message));
  return [...groups.values()].flatMap((group) => {
    const unknown = group.filter(({ code }) => code === 'word_unknown');
    const words = [...new Set(unknown.flatMap(({ message }) => /^".+?"(?= is )/u.exec(message) ?? []))];
    const message = `${words.slice(0, -1).join(', ')} and ${words.at(-1)} are not understood.`;
    return group.slice(0, 1).map((first) => (words.length < 2 ? first : { ...first, message }));
  });
}
