import type { CheckedUrl } from './check-url.ts';
import { type ExchangeOptions, exchange, type Limits } from './exchange.ts';
import type { AnswerHeaders } from './headers.ts';
import type { Policy } from './policy.ts';

export type RequestOptions = ExchangeOptions;

/** Untrusted content of a third-party server. Parse defensively, and do not pass it on. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Uint8Array;
}

/** A list of models or a proof has a few kilobytes. */
const defaultLimits: Limits = { timeout_ms: 10_000, headerBytesMax: 16_384, bodyBytesMax: 1_048_576 };

/**
 * Sends one bounded request to the checked address. A redirect is returned, not followed.
 *
 * @throws OutboundRefusal if URL, address or headers are not allowed; no request was sent
 * @throws OutboundFailure if there was no complete response within the limits; its message may be shown to the owner
 */
export async function request(given: CheckedUrl | string, options: RequestOptions, policy: Policy): Promise<Answer> {
  const limits = { ...defaultLimits, ...options.limits };
  return exchange(given, { ...options, limits }, policy, async ({ status, headers, body }) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { status, headers, bytes: Buffer.concat(chunks) };
  });
}
