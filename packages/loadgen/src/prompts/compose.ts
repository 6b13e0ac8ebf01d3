import { createRandom, deriveSeed, type Random } from '../pacing/random.ts';
import { promptWords } from './words.ts';

/** What a text is made of, without the chance in it. */
export interface TextShape {
  words: readonly string[];
  wordCount: number;
  /** Put after the last word to reach lengths that whole words do not. */
  tail: string;
}

/** Texts of one length. Every one composed of it has that length if the vocabulary is additive, else about that. */
export interface PromptShape extends TextShape {
  /** Requested tokens. */
  inputTokens: number;
  /** Tokens the server counted in a text of this shape. */
  measuredTokens: number;
  /** Measured minus asked; 0 is exact. */
  offBy: number;
  isAdditive: boolean;
  /** The count stopped growing before the asked length: the server cuts its prompts, so the point cannot be measured. */
  isCut: boolean;
}

/** Which text of a shape: one for each request. */
export interface TextIdentity {
  seed: number;
  /**
   * What makes the beginning fresh although the seed is that of an earlier run, such as the id of the run: a server
   * that kept that run's prompts in its prefix cache must not know the beginning of this one's.
   */
  salt: string;
  /** Number of the request in its point. */
  index: number;
}

/** Words at the beginning that the salt decides: of 256 words, 128 bits. A block of vLLM's prefix cache is 16 tokens. */
export const prefixWords = 16;

function drawWords(words: readonly string[], count: number, random: Random): string {
  let text = '';
  for (let drawn = 0; drawn < count; drawn++) text += ` ${words[random.below(words.length)] ?? ''}`;
  return text;
}

/** A digit first: a chat template may trim a space, and a first word without one is another token. */
function beginning(words: readonly string[], count: number, { seed, salt, index }: TextIdentity): string {
  const random = createRandom(deriveSeed(seed, 'prefix', salt, index));
  return random.below(10) + drawWords(words, count, random);
}

/**
 * The text of a shape for one request. The same identity gives the same text; another salt changes the beginning and
 * with it what any prefix cache can find, another seed or index everything.
 */
export function composeText({ words, wordCount, tail }: TextShape, identity: TextIdentity): string {
  const first = Math.min(prefixWords, wordCount);
  const body = createRandom(deriveSeed(identity.seed, 'body', identity.index));
  return beginning(words, first, identity) + drawWords(words, wordCount - first, body) + tail;
}

/** A recorded text behind a fresh beginning: about 17 tokens more than the text has. */
export function withFreshPrefix(text: string, identity: TextIdentity): string {
  return `${beginning(promptWords, prefixWords, identity)}\n\n${text}`;
}
