import type { RequestRecord } from '../records.ts';

/** A request of which nothing is recorded but what is said. */
export function makeRequest(over: Partial<RequestRecord> = {}): RequestRecord {
  return {
    sentS: null,
    inputTokens: null,
    cachedTokens: null,
    outputTokens: null,
    maxTokens: null,
    ttftMs: null,
    e2eMs: null,
    gapsMs: null,
    error: null,
    ...over,
  };
}
