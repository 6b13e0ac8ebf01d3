import { readTokens } from '../words/numbers.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import { readName } from './catalogue-phrases.ts';
import type { Reading } from './loads.ts';
import { readMetric } from './metric-phrases.ts';

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

/** "d4096": a depth in the notation of llama-bench. */
const readDepth = (text: string | undefined): number | null => readTokens(/^d(?<depth>\d.*)$/u.exec(text ?? '')?.[1]);

/** "tg128 d4096", "pp512 at d4096": tests of llama-bench at a depth, which is a part of their names. */
export function readTestsAtDepth(words: Words, at: number): Reading | null {
  const tests = readName('scenario', words, at);
  const place = at + (tests?.length ?? 0);
  const end = /^(?:at|@|with)$/u.test(words.tokens[place]?.text ?? '') ? place + 1 : place;
  const depth = readDepth(words.tokens[end]?.text);
  if (tests === null || depth === null || !tests.ids.every((id) => /^(?:pp|tg)[\dptg+]+$/u.test(id))) return null;
  return { facts: [{ filter: 'scenario', values: tests.ids.map((id) => `${id}@d${depth}`) }], length: end + 1 - at };
}

/** "32k context", "context length of 8192", "64k tokens of context", "d4096": tokens before the first generated one. */
export function readContext(words: Words, at: number): Reading | null {
  const textAt = (place: number) => words.tokens[place]?.text;
  const depth = readDepth(textAt(at));
  if (depth !== null) return reading(depth, 1);
  const behind = readTokens(textAt(at));
  if (behind !== null) {
    // "at 64k depth". A smaller depth is the length of a queue.
    if (textAt(at + 1) === 'depth' && behind >= depthLeast) return reading(behind, 2);
    const name = names.find(words, at + 1);
    if (name === null || behind < 16) return null;
    // "32k prompt processing speed": the word is part of a metric.
    const isOfMetric = (readMetric(words, at + 1)?.length ?? 0) > name.length;
    return reading(behind, isOfMetric ? 1 : 1 + name.length);
  }
  const name = names.find(words, at);
  if (name === null) return readDepthAfter(words, at);
  let place = at + name.length;
  while (/^(?:of|=|is|at|least|to)$/u.test(textAt(place) ?? '')) place++;
  const tokens = readTokens(textAt(place));
  if (tokens === null || tokens < 16) return null;
  const end = /^(?:tokens?|tok)$/u.test(textAt(place + 1) ?? '') ? place + 2 : place + 1;
  return reading(tokens, end - at);
}

/** "depth 32k", "depth of 16384". */
function readDepthAfter({ tokens }: Words, at: number): Reading | null {
  if (tokens[at]?.text !== 'depth') return null;
  const place = tokens[at + 1]?.text === 'of' ? at + 2 : at + 1;
  const depth = readTokens(tokens[place]?.text);
  return depth === null || depth < depthLeast ? null : reading(depth, place + 1 - at);
}
