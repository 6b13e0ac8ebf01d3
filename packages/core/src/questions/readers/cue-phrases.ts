import { superlatives } from '../words/common-words.ts';
import { type Comparative, type Cue, comparatives, cues, readComparative } from '../words/cues.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import { readName } from './catalogue-phrases.ts';

const gpuCounts = phraseTable<true>(
  ['how many', 'number of', 'minimum number of', 'min number of', 'smallest number of'].map((phrase) => [phrase, true]),
);

/** "how many h100s": asks for the number of GPUs. */
function readCountOfGpus(words: Words, at: number): { value: Cue; length: number } | null {
  const count = gpuCounts.find(words, at);
  const gpu = count === null ? null : readName('gpu', words, at + count.length);
  return count === null || gpu === null ? null : { value: 'need', length: count.length };
}

/** "faster then vllm" means "than". */
const isThan = (words: Words, at: number) =>
  words.tokens[at]?.text === 'then' && words.tokens.slice(0, at).some((_, place) => comparatives.find(words, place));

type Read = ({ kind: 'cue'; cue: Cue } | { kind: 'comparative'; value: Comparative }) & { length: number };

/** "how fast", "faster": words that imply the kind of a question. */
export function readCue(words: Words, at: number): Read | null {
  const than = isThan(words, at) ? { value: 'than' as const, length: 1 } : null;
  // "lowest memory for llama" ranks by the measured memory.
  const isRanked = words.tokens[at]?.text === 'memory' && superlatives.find(words, at - 1) !== null;
  const cue = isRanked ? null : (than ?? cues.find(words, at) ?? readCountOfGpus(words, at));
  const comparative = readComparative(words, at);
  if (comparative !== null && comparative.length >= (cue?.length ?? 0))
    return { kind: 'comparative', value: comparative.value, length: comparative.length };
  return cue === null ? null : { kind: 'cue', cue: cue.value, length: cue.length };
}
