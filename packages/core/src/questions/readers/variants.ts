import type { Token, Words } from '../words/tokens.ts';
import { readName } from './catalogue-phrases.ts';

const joins = /^(?:vs|versus|or)$/u;

/** The words of a variant of a GPU: "80gb", "pcie", "sxm5"; 0 if none starts here. */
function variantLength({ tokens }: Words, at: number): number {
  const text = tokens[at]?.text ?? '';
  if (/^(?:sxm\d?|pcie|nvl)$/u.test(text)) return 1;
  return /^\d+$/u.test(text) && tokens[at + 1]?.text === 'gb' ? 2 : 0;
}

/** Maximum number of words of a GPU with its variant. */
const nameMax = 6;

/** The words of a GPU without its variant, which ends before a word; null if there is none. */
function gpuBefore(words: Words, end: number): readonly Token[] | null {
  for (let at = Math.max(0, end - nameMax); at < end; at++) {
    if (readName('gpu', words, at)?.length !== end - at) continue;
    const length = [2, 1].find((count) => variantLength(words, end - count) === count);
    return length === undefined || end - length === at ? null : words.tokens.slice(at, end - length);
  }
  return null;
}

/** Completes further variants of a GPU: "a100 40gb vs 80gb" is read as "a100 40gb vs a100 80gb". */
export function completeVariants(words: Words): Words {
  for (const [at, { text }] of words.tokens.entries()) {
    const next = words.tokens[at + 1];
    const length = joins.test(text) ? variantLength(words, at + 1) : 0;
    const gpu = length === 0 ? null : gpuBefore(words, at);
    if (gpu === null || next === undefined) continue;
    // The added words have no place in the text.
    const added = gpu.map((token) => ({ ...token, start: next.start, end: next.start, isCorrected: true as const }));
    const completed = { ...words, tokens: words.tokens.toSpliced(at + 1, 0, ...added) };
    if (readName('gpu', completed, at + 1)?.length === added.length + length) return completeVariants(completed);
  }
  return words;
}
