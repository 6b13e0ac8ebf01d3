import { createHash } from 'node:crypto';
import type { CheckedUrl } from './check-url.ts';
import { type ExchangeOptions, exchange, type Limits } from './exchange.ts';
import type { AnswerHeaders } from './headers.ts';
import type { Policy } from './policy.ts';

export interface Download {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Null unless the status is 200: redirects and error pages are not datasets. */
  readonly content: {
    readonly bytes: Uint8Array;
    readonly sizeBytes: number;
    /** Hexadecimal. */
    readonly sha256: string;
  } | null;
}

/** Datasets have tens of megabytes, and their servers may be slow. */
const defaultLimits: Limits = { timeout_ms: 600_000, headerBytesMax: 16_384, bodyBytesMax: 268_435_456 };

/**
 * Downloads a dataset into memory.
 *
 * @throws OutboundRefusal if URL, address or headers are not allowed; no request is sent
 * @throws OutboundFailure if there is no complete response within the limits
 */
export async function downloadBytes(
  given: CheckedUrl | string,
  options: Omit<ExchangeOptions, 'method' | 'body'>,
  policy: Policy,
): Promise<Download> {
  const limits = { ...defaultLimits, ...options.limits };
  return exchange(given, { ...options, limits }, policy, async ({ status, headers, body }) => {
    if (status !== 200) return { status, headers, content: null };
    const hash = createHash('sha256');
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) {
      hash.update(chunk);
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    return { status, headers, content: { bytes, sizeBytes: bytes.byteLength, sha256: hash.digest('hex') } };
  });
}
