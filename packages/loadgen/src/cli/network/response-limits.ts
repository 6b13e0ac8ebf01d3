import { reasonAt } from './reason-of.ts';
import { missingTls } from './scheme.ts';

/** Maximum times until the end of a response, in ms. */
export const responseLimits_ms = {
  /** The server has the response ready, such as a list. */
  quick: 12_000,
  /** The server computes the response, loads a model for it, or receives a file first. */
  long: 120_000,
};

/**
 * Why a server cannot be reached; null if it responds to a request, with any status. Requests that may take long come after this
 * one: a server that accepts connections and never responds is found early.
 */
export async function reachFault(url: URL, init: { headers?: Record<string, string>; signal?: AbortSignal } = {}) {
  const fault = await missingTls(url);
  if (fault !== null) return fault;
  try {
    const limit = AbortSignal.timeout(responseLimits_ms.quick);
    const signal = init.signal === undefined ? limit : AbortSignal.any([init.signal, limit]);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    await response.body?.cancel();
    return null;
  } catch (error) {
    return reasonAt(url, error);
  }
}
