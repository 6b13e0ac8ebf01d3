import { z } from '@hono/zod-openapi';

/** For responses that are also available as text. */
export const formatShape = {
  format: z.enum(['json', 'text'], { error: 'must be json or text' }).optional().openapi({
    example: 'text',
    description:
      'text: five lines for people (recognised tool, headline figures, findings, rank, link), and errors as text unless Accept includes application/problem+json. Default: json.',
  }),
} as const;

/** The same for tables. */
export const tableFormatShape = {
  format: z.enum(['json', 'text'], { error: 'must be json or text' }).optional().openapi({
    example: 'text',
    description:
      'text: a plain table for a terminal, and errors as text unless Accept includes application/problem+json. Default: json.',
  }),
} as const;

const textContent = {
  'text/plain': {
    schema: z.string(),
    example:
      'Recognised: llama-bench, 1 result: Llama 2 7B · Q4_0 · RTX PRO 6000 · llama.cpp, tg128, batch 1\nFigures:    decode_tok_s 240.5 tok/s\nFindings:   none\nRank:       3rd of 12 by decode_tok_s (tg128). Accepted. 1 result ranks on the boards.\nLink:       http://localhost:8787/submissions/sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f\n',
  },
};

/**
 * Adds a text form to the responses of a route, for `format=text`.
 *
 * @param example a text; that of a submission by default
 */
export function orText<R extends Record<number, { content: object }>>(
  responses: R,
  example = textContent['text/plain'].example,
) {
  const content = { 'text/plain': { ...textContent['text/plain'], example } };
  const entries = Object.entries(responses).map(([status, response]) => [
    status,
    { ...response, content: { ...response.content, ...content } },
  ]);
  return Object.fromEntries(entries) as { [S in keyof R]: R[S] & { content: typeof textContent } };
}

/** The path of a page with the parameters of a request, without those that only the API has. */
export function pageOfRequest(base: string, page: string, asked: URLSearchParams): string {
  const query = new URLSearchParams(asked);
  for (const name of ['format', 'fields', 'full', 'count', 'cursor', 'limit']) query.delete(name);
  return query.size === 0 ? `${base}${page}` : `${base}${page}?${query}`;
}
