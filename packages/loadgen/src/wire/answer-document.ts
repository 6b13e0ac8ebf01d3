import type { Usage } from './stream-chunk.ts';
import { noUsage } from './token-stream.ts';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0x7fffffff ? value : null;

/** The content of a response that is one JSON document. */
export interface AnswerDocument {
  /** True of a document with results. */
  isWhole: boolean;
  usage: Usage;
}

/** Where servers put embeddings, and the ranks of documents. */
const listNames = ['data', 'results', 'embeddings', 'scores'] as const;

/** Reads an answer of `/v1/embeddings` or `/v1/rerank`; null where it is no JSON. Old servers answer the list alone. */
export function readAnswerDocument(text: string): AnswerDocument | null {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(document)) return null;
  const lists: unknown[] = Array.isArray(document) ? [document] : listNames.map((name) => (document as Json)[name]);
  const usage = 'usage' in document && isObject(document.usage) ? document.usage : {};
  return {
    isWhole: lists.some((list) => Array.isArray(list) && list.length > 0),
    usage: { ...noUsage, promptTokens: count(usage.prompt_tokens) ?? count(usage.total_tokens) },
  };
}
