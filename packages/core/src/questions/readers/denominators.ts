import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';

/** What a metric can be divided by. */
export type Denominator = 'gpu' | 'user' | 'mtok';

const phrases: Readonly<Record<Denominator, readonly string[]>> = {
  gpu: ['per gpu', 'per card', 'per chip', 'per accelerator'],
  user: ['per user', 'per request', 'per stream'],
  mtok: ['per token', 'per million tokens', 'per 1m tokens', 'per m tokens', 'per mtok', 'per million output tokens'],
};

const denominators = phraseTable<Denominator>(
  (Object.keys(phrases) as Denominator[]).flatMap((of) => phrases[of].map((phrase) => [phrase, of] as const)),
);

/** "per gpu", "per user": a denominator apart from its metric, as in "throughput of deepseek r1 per gpu". */
export function readDenominator(words: Words, at: number) {
  const found = denominators.find(words, at);
  return found === null ? null : { kind: 'denominator' as const, of: found.value, length: found.length };
}
