import { z } from '@hono/zod-openapi';

/** Of answers that are there for people too. */
export const formatShape = {
  format: z.enum(['json', 'text'], { error: 'must be json or text' }).optional().openapi({
    example: 'text',
    description:
      'text: five lines for people (what was recognised, headline figures, findings, rank, link), and refusals in words unless Accept names application/problem+json. json by default.',
  }),
} as const;

const textContent = {
  'text/plain': {
    schema: z.string(),
    example:
      'Recognised: llama-bench, 1 result: Llama 2 7B · Q4_0 · RTX PRO 6000 · llama.cpp, tg128, batch 1\nFigures:    decode_tok_s 240.5 tok/s\nFindings:   none\nRank:       3rd of 12 by decode_tok_s (tg128). Accepted. 1 result ranks on the boards.\nLink:       http://localhost:8787/submissions/sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f\n',
  },
};

/** Answers of a route that come as text too, where `format=text` asks for it. */
export function orText<R extends Record<number, { content: object }>>(responses: R) {
  const entries = Object.entries(responses).map(([status, response]) => [
    status,
    { ...response, content: { ...response.content, ...textContent } },
  ]);
  return Object.fromEntries(entries) as { [S in keyof R]: R[S] & { content: typeof textContent } };
}
