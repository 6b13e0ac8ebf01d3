import { readTokens } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import type { Reading } from './loads.ts';

const names = phraseTable<true>(
  [
    ...[
      'long context',
      'long contexts',
      'context',
      'ctx',
      'context length',
      'context window',
      'context size',
      'context len',
      'ctx length',
      'num ctx',
    ],
    ...[
      'of context',
      'tokens context',
      'tokens of context',
      'token context',
      'tokens ctx',
      'token prompt',
      'token prompts',
    ],
    ...[
      'token context window',
      'token context length',
      'contexts',
      'max model len',
      'tokens prompt',
      'prompt',
      'prompts',
    ],
  ].map((phrase) => [phrase, true] as const),
);

/** Minimum depth in tokens without the word "tokens". */
const depthLeast = 1000;

const reading = (tokens: number, length: number): Reading => ({
  facts: [{ filter: 'min_context', values: [tokens] }],
  length,
});

/** "32k context", "context length of 8192", "64k tokens of context": tokens before the first generated one. */
export function readContext(words: Words, at: number): Reading | null {
  const textAt = (place: number) => words.tokens[place]?.text;
  const behind = readTokens(textAt(at));
  if (behind !== null) {
    // "at 64k depth". A smaller depth is the length of a queue.
    if (textAt(at + 1) === 'depth' && behind >= depthLeast) return reading(behind, 2);
    const name = names.find(words, at + 1);
    return name === null || behind < 16 ? null : reading(behind, 1 + name.length);
  }
  const name = names.find(words, at);
  if (name === null) return null;
  let place = at + name.length;
  while (/^(?:of|=|is|at|least|to)$/u.test(textAt(place) ?? '')) place++;
  const tokens = readTokens(textAt(place));
  if (tokens === null || tokens < 16) return null;
  const end = /^(?:tokens?|tok)$/u.test(textAt(place + 1) ?? '') ? place + 2 : place + 1;
  return reading(tokens, end - at);
}
