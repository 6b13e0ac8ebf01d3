import { CalibrationError } from './calibration-error.ts';
import { composeText, type PromptShape } from './compose.ts';
import { fitTail } from './fit-tail.ts';
import { promptWords } from './words.ts';

/** How many tokens a server makes of a text, all that it adds included: its `usage.prompt_tokens`, or its `/tokenize`. */
export type CountTokens = (text: string) => Promise<number>;

/** What a server's tokenizer does with our words. */
export interface Vocabulary {
  words: readonly string[];
  /** Tokens of one word with its space. */
  tokensPerWord: number;
  /** Tokens of a text before its first word: chat template, begin of sequence, the opening digit. */
  overheadTokens: number;
  /** Whether every word costs the same, so that all texts of so many words have the same length. */
  isAdditive: boolean;
}

export interface Calibrator {
  /** Asks the server about the words; once, however often it is called. */
  vocabulary(): Promise<Vocabulary>;
  /** The shape for prompts of so many tokens, measured by the server; once for each length. */
  fit(inputTokens: number): Promise<PromptShape>;
  /** Texts counted so far: each may be a request that the server had to read. */
  counted(): number;
}

export interface CalibratorOptions {
  countTokens: CountTokens;
  seed: number;
  /** See `TextIdentity`: keeps the server from answering out of the cache of an earlier calibration. */
  salt: string;
  /** Texts that may be counted at most, each a request. Few are needed: 3 for the words, 1 or 2 for each length. */
  countsMax?: number;
}

/** Fewer words would repeat so often that speculative decoding could guess them. */
const wordsLeast = 64;
const corrections = 5;

/**
 * Finds texts of exact length by the server's own word. Words that all cost one token make every further length a sum:
 * one count proves it of all words together, since a dearer one would show, and dearer ones are found by halving. A
 * tokenizer where that fails (it joins words) is met by trial, and the nearest length found is told with how far it is
 * off.
 */
export function createCalibrator({ countTokens, seed, salt, countsMax = 100 }: CalibratorOptions): Calibrator {
  let counted = 0;
  let vocabulary: Promise<Vocabulary> | null = null;
  const shapes = new Map<number, Promise<PromptShape>>();

  const isSpent = () => counted >= countsMax;

  async function count(text: string): Promise<number> {
    if (isSpent()) throw new CalibrationError('counts_exhausted', `no length was found within ${countsMax} counts`);
    counted++;
    const tokens = await countTokens(text);
    if (!Number.isSafeInteger(tokens) || tokens < 1)
      throw new CalibrationError('count_invalid', `the server counts ${tokens} tokens in a prompt`);
    return tokens;
  }

  // Another digit each time: old Ollama servers leave out of a count what they had in their cache.
  const countWords = (words: readonly string[]) => count(`${counted % 10} ${words.join(' ')}`);

  /** The words among these that cost `each`, as far as the counts last. */
  async function ofCost(each: number, overhead: number, words: readonly string[], total: number): Promise<string[]> {
    if (total === overhead + each * words.length) return [...words];
    const middle = words.length >> 1;
    // Half of the counts stay for the lengths.
    if (middle === 0 || counted * 2 >= countsMax) return [];
    const [first, second] = [words.slice(0, middle), words.slice(middle)];
    const firstTotal = await countWords(first);
    const secondTotal = total - firstTotal + overhead;
    return [
      ...(await ofCost(each, overhead, first, firstTotal)),
      ...(await ofCost(each, overhead, second, secondTotal)),
    ];
  }

  async function learn(): Promise<Vocabulary> {
    const one = await countWords(promptWords.slice(0, 1));
    const two = await countWords(promptWords.slice(1, 3));
    const all = await countWords(promptWords);
    // Most words cost the same, so the mean rounds to that; a dear one among the first three would only add to theirs.
    const each = Math.round((all - one) / (promptWords.length - 1));
    const overhead = Math.min(one - each, two - 2 * each);
    const same = each > 0 ? await ofCost(each, overhead, promptWords, all) : [];
    if (same.length >= wordsLeast)
      return { words: same, tokensPerWord: each, overheadTokens: overhead, isAdditive: true };
    const mean = Math.max(0.01, (all - one) / (promptWords.length - 1));
    return {
      words: promptWords,
      tokensPerWord: mean,
      overheadTokens: Math.max(0, one - mean),
      isAdditive: false,
    };
  }

  function learnOnce(): Promise<Vocabulary> {
    vocabulary ??= learn().catch((error: unknown) => {
      // A server that was away may be back at the next call.
      vocabulary = null;
      throw error;
    });
    return vocabulary;
  }

  async function find(inputTokens: number): Promise<PromptShape> {
    const { words, tokensPerWord, overheadTokens, isAdditive } = await learnOnce();
    const least = Math.ceil(overheadTokens + tokensPerWord);
    if (inputTokens < least)
      throw new CalibrationError('too_short', `the shortest prompt has ${least} tokens, and ${inputTokens} are asked`);

    let isSum = isAdditive;
    const measure = async (wordCount: number, tail: string): Promise<PromptShape> => {
      const shape = { words, wordCount, tail };
      const measured = await count(composeText(shape, { seed, salt: `${salt} ${counted}`, index: inputTokens }));
      if (tail === '') isSum &&= measured === overheadTokens + wordCount * tokensPerWord;
      const offBy = measured - inputTokens;
      return { ...shape, inputTokens, measuredTokens: measured, offBy, isAdditive: isSum, isCut: false };
    };

    const wordCount = Math.floor((inputTokens - overheadTokens) / tokensPerWord + 1e-9);
    let nearest = await measure(Math.max(1, wordCount), '');
    for (let round = 0; round < corrections && Math.abs(nearest.offBy) >= tokensPerWord && !isSpent(); round++) {
      const more = Math.trunc(-nearest.offBy / tokensPerWord);
      const next = await measure(Math.max(1, nearest.wordCount + more), '');
      // A text longer by hundreds of words that counts the same was cut.
      if (more >= 8 && next.measuredTokens <= nearest.measuredTokens + more * tokensPerWord * 0.1)
        return { ...nearest, isCut: true };
      if (Math.abs(next.offBy) >= Math.abs(nearest.offBy)) break;
      nearest = next;
    }
    return nearest.offBy === 0 ? nearest : fitTail(nearest, measure, isSpent);
  }

  return {
    vocabulary: learnOnce,
    fit(inputTokens) {
      const known = shapes.get(inputTokens);
      if (known !== undefined) return known;
      const found = find(inputTokens).catch((error: unknown) => {
        shapes.delete(inputTokens);
        throw error;
      });
      shapes.set(inputTokens, found);
      return found;
    },
    counted: () => counted,
  };
}
