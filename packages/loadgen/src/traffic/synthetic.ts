import { conversationName, conversationsName, promptsName } from '@inferboard/core/plans/made-up-prompts';
import { createRandom, deriveSeed } from '../pacing/random.ts';
import { refuseTooShort, type Vocabulary } from '../prompts/calibrator.ts';
import { composeText } from '../prompts/compose.ts';
import { type Distribution, drawTokens } from './lengths.ts';
import type { TrafficSource, Turn, Units } from './unit.ts';

/** How conversations are made. */
export interface ConversationOptions {
  /** Turns of each, at most where a file has fewer. */
  turns: number;
  /** Seconds from the end of an answer to the next turn; null: none. */
  thinkS: Distribution | null;
}

export interface SyntheticOptions {
  input: Distribution;
  output: Distribution;
  /** Null: each request is independent. */
  conversation: ConversationOptions | null;
}

/** ms before a turn that is not the first. */
export function drawThinkMs({ thinkS }: ConversationOptions, seed: number): number {
  return thinkS === null ? 0 : Math.max(0, 1000 * thinkS.draw(createRandom(seed)));
}

/** Conversations as part of a data set's name. */
export const nameOfConversation = ({ turns, thinkS }: ConversationOptions): string =>
  conversationName(turns, thinkS?.name ?? null);

/** A text of about so many tokens, those included that the server adds to a prompt. The same seed gives the same text. */
export function composeTokens(vocabulary: Vocabulary, tokens: number, seed: number): string {
  const { words, tokensPerWord, overheadTokens } = vocabulary;
  const wordCount = Math.max(1, Math.round((tokens - overheadTokens) / tokensPerWord));
  return composeText({ words, wordCount, tail: '' }, { seed, salt: '', index: 0 });
}

function nameOf({ input, output, conversation }: SyntheticOptions): string {
  if (conversation !== null) return conversationsName(nameOfConversation(conversation), input.name, output.name);
  return promptsName(input.name, output.name, input.fixed !== null && output.fixed !== null);
}

/** Prompts made up of counted words, with lengths drawn for each turn. */
export function createSynthetic(options: SyntheticOptions): TrafficSource {
  const { input, output, conversation } = options;
  return {
    name: nameOf(options),
    files: [],
    // A later turn carries all before it.
    lengths: { inputTokens: conversation === null ? input.fixed : null, outputTokens: output.fixed },
    sharesPrefixes: conversation !== null,
    notes: () => [],
    open: async ({ vocabulary }) => {
      const known = await vocabulary();
      if (input.fixed !== null) refuseTooShort('prompt', known, input.fixed);
      return (seed): Units =>
        (index) => {
          const turnAt = (turn: number): Turn => {
            const of = (label: string) => deriveSeed(seed, label, index, turn);
            const tokens = drawTokens(input, createRandom(of('input')));
            return {
              messages: [{ role: 'user', content: composeTokens(known, tokens, of('text')) }],
              ...(turn === 0 && { inputTokens: tokens }),
              outputTokens: drawTokens(output, createRandom(of('output'))),
              thinkMs: turn === 0 || conversation === null ? 0 : drawThinkMs(conversation, of('think')),
            };
          };
          const more = Array.from({ length: (conversation?.turns ?? 1) - 1 }, (_, at) => turnAt(at + 1));
          return { turns: [turnAt(0), ...more] };
        };
    },
  };
}
