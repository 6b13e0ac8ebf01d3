import { CalibrationError } from './calibration-error.ts';
import { composeText, type PromptShape } from './compose.ts';
import { fitTail } from './fit-tail.ts';
import { promptWords } from './words.ts';

/**
 * How many tokens a server makes of a text, all that it adds included: its `usage.prompt_tokens`, or its `/tokenize`. With
 * `system`, a system message precedes the text.
 */
export type CountTokens = (text: string, system?: string) => Promise<number>;

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
  /** Tokens that a system message adds before its first word. Negative if it replaces the template's own. Counted once. */
  systemOverhead(): Promise<number>;
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
  /** Texts that may be counted at most, each a request. Few are needed: 3 to 8 for the words, 1 to 4 for each length. */
  countsMax?: number;
}

/** @throws CalibrationError if a text of one word has more tokens than requested */
export function refuseTooShort(
  what: 'prompt' | 'shared prefix',
  { overheadTokens, tokensPerWord }: Pick<Vocabulary, 'overheadTokens' | 'tokensPerWord'>,
  tokens: number,
): void {
  const least = Math.max(1, Math.ceil(overheadTokens + tokensPerWord));
  if (tokens >= least) return;
  const message = `the shortest ${what} has ${least} tokens, but ${tokens} are requested`;
  throw new CalibrationError('too_short', message, what === 'prompt' ? least : null);
}

/** Fewer words would repeat so often that speculative decoding could guess them. */
const wordsLeast = 64;
/** Words are counted in so many groups where not all cost the same. */
const groups = 6;
const corrections = 5;
/** Texts counted for one length at most. With those for the words that makes twelve. */
const countsForLength = 4;

/**
 * Finds texts of exact length by the server's token counts. Words that all cost one token make every further length a
 * sum: one count proves it for all words together, because a longer one would show, and then groups of them are counted
 * separately. For a tokenizer that joins words, the length is found by trial, and the result states the nearest length
 * and how far it is off. The first length takes at most twelve counts, each further one four.
 */
export function createCalibrator({ countTokens, seed, salt, countsMax = 100 }: CalibratorOptions): Calibrator {
  let counted = 0;
  let vocabulary: Promise<Vocabulary> | null = null;
  let system: Promise<number> | null = null;
  const shapes = new Map<number, Promise<PromptShape>>();

  const isSpent = () => counted >= countsMax;

  async function count(text: string, before?: string): Promise<number> {
    if (isSpent()) throw new CalibrationError('counts_exhausted', `no length was found within ${countsMax} counts`);
    counted++;
    const tokens = await (before === undefined ? countTokens(text) : countTokens(text, before));
    if (!Number.isSafeInteger(tokens) || tokens < 1)
      throw new CalibrationError('count_invalid', `the server counts ${tokens} tokens in a prompt`);
    return tokens;
  }

  // Another digit each time: old Ollama servers leave out of a count what they had in their cache.
  const countWords = (words: readonly string[]) => count(`${counted % 10} ${words.join(' ')}`);

  /** The words that cost `each`, by whole groups: one expensive word excludes its group. */
  async function ofCost(each: number, overhead: number, total: number): Promise<readonly string[]> {
    if (total === overhead + each * promptWords.length) return promptWords;
    const size = Math.ceil(promptWords.length / groups);
    const same: string[] = [];
    let left = total - overhead;
    for (let group = 0; group < groups; group++) {
      const words = promptWords.slice(group * size, (group + 1) * size);
      // What the others leave is that of the last.
      const cost = group === groups - 1 ? left : (await countWords(words)) - overhead;
      left -= cost;
      if (cost === each * words.length) same.push(...words);
    }
    return same;
  }

  async function learn(): Promise<Vocabulary> {
    const one = await countWords(promptWords.slice(0, 1));
    const two = await countWords(promptWords.slice(1, 3));
    const all = await countWords(promptWords);
    // Most words cost the same, so the mean rounds to that; an expensive one among the first three would only add to
    // theirs.
    const each = Math.round((all - one) / (promptWords.length - 1));
    const overhead = Math.min(one - each, two - 2 * each);
    const same = each > 0 ? await ofCost(each, overhead, all) : [];
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

  async function learnSystem(): Promise<number> {
    const { words, tokensPerWord, overheadTokens } = await learnOnce();
    const text = `${counted % 10} ${words.slice(0, 3).join(' ')}`;
    return (await count(text, text)) - overheadTokens - 6 * tokensPerWord;
  }

  function learnSystemOnce(): Promise<number> {
    system ??= learnSystem().catch((error: unknown) => {
      system = null;
      throw error;
    });
    return system;
  }

  async function find(inputTokens: number): Promise<PromptShape> {
    const { words, tokensPerWord, overheadTokens, isAdditive } = await learnOnce();
    refuseTooShort('prompt', { overheadTokens, tokensPerWord }, inputTokens);
    let isSum = isAdditive;
    const before = counted;
    const isEnough = () => isSpent() || counted - before >= countsForLength;
    const measure = async (wordCount: number, tail: string): Promise<PromptShape> => {
      const shape = { words, wordCount, tail };
      const measured = await count(composeText(shape, { seed, salt: `${salt} ${counted}`, index: inputTokens }));
      if (tail === '') isSum &&= measured === overheadTokens + wordCount * tokensPerWord;
      const offBy = measured - inputTokens;
      return { ...shape, inputTokens, measuredTokens: measured, offBy, isAdditive: isSum, isCut: false };
    };

    const wordCount = Math.floor((inputTokens - overheadTokens) / tokensPerWord + 1e-9);
    let nearest = await measure(Math.max(1, wordCount), '');
    for (let round = 0; round < corrections && Math.abs(nearest.offBy) >= tokensPerWord && !isEnough(); round++) {
      const more = Math.trunc(-nearest.offBy / tokensPerWord);
      const next = await measure(Math.max(1, nearest.wordCount + more), '');
      // A text longer by hundreds of words that counts the same was cut.
      if (more >= 8 && next.measuredTokens <= nearest.measuredTokens + more * tokensPerWord * 0.1)
        return { ...nearest, isCut: true };
      if (Math.abs(next.offBy) >= Math.abs(nearest.offBy)) break;
      nearest = next;
    }
    return nearest.offBy === 0 ? nearest : fitTail(nearest, measure, isEnough);
  }

  return {
    vocabulary: learnOnce,
    systemOverhead: learnSystemOnce,
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
