import { createRandom, deriveSeed } from '../pacing/random.ts';
import { type Distribution, drawTokens } from './lengths.ts';
import { composeTokens } from './synthetic.ts';
import type { TrafficSource, Units } from './unit.ts';

const queryTokens = 16;

/** Queries of 16 tokens with `documents` texts to rank, whose lengths are drawn. */
export function createRerank(documents: number, input: Distribution): TrafficSource {
  return {
    name: `rerank-${documents}x${input.name}`,
    files: [],
    lengths: { inputTokens: null, outputTokens: null },
    sharesPrefixes: false,
    notes: () => [],
    open: async ({ vocabulary }) => {
      const known = { ...(await vocabulary()), overheadTokens: 1 };
      return (seed): Units =>
        (index) => {
          const textOf = (tokens: number, ...place: (string | number)[]) =>
            composeTokens(known, tokens, deriveSeed(seed, ...place));
          const query = textOf(queryTokens, 'query', index);
          const texts = Array.from({ length: documents }, (_, at) =>
            textOf(drawTokens(input, createRandom(deriveSeed(seed, 'length', index, at))), 'document', index, at),
          );
          const turn = { messages: [{ role: 'user' as const, content: query }], outputTokens: 1, thinkMs: 0 };
          return { turns: [turn], documents: texts };
        };
    },
  };
}
