import { countTokens, textsOf } from './events.ts';

/** Endpoints that answer with one JSON document. */
export const documentApis = ['/v1/embeddings', '/v1/rerank'] as const;
export type DocumentApi = (typeof documentApis)[number];

/** The document that answers a request, and the tokens of the request; null where the body is no JSON object. */
export function answerDocument(
  api: DocumentApi,
  text: string,
  isEmpty: boolean,
): { document: object; tokens: number } | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof body !== 'object' || body === null) return null;
  const { input, query, documents, model } = body as Record<string, unknown>;
  const tokens = countTokens(textsOf([input, query, documents]));
  if (api === '/v1/embeddings') {
    const inputs = Array.isArray(input) ? input : [input];
    const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [0.1, -0.2, 0.3] }));
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    return { document: { object: 'list', model, data: isEmpty ? [] : data, usage }, tokens };
  }
  const ranked = Array.isArray(documents) ? documents : [];
  const results = ranked.map((_, index) => ({ index, relevance_score: 1 / (index + 1) }));
  return { document: { model, results: isEmpty ? [] : results, usage: { total_tokens: tokens } }, tokens };
}
