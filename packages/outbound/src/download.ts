import { createHash, randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { CheckedUrl } from './check-url.ts';
import { type ExchangeOptions, exchange, type Head, type Limits } from './exchange.ts';
import type { AnswerHeaders } from './headers.ts';
import type { Policy } from './policy.ts';

export type DownloadOptions = Omit<ExchangeOptions, 'method' | 'body'>;

/** `content` is null unless the status is 200: a redirect or an error page is no dataset. */
export interface Download<Content> {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly content: Content | null;
}

export interface StoredContent {
  readonly sizeBytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** For datasets, which may wait in memory as a whole where the disk is slow: prompts in tens of megabytes, from servers that are not always near. */
const defaultLimits: Limits = { timeout_ms: 600_000, headerBytesMax: 16_384, bodyBytesMax: 268_435_456 };

async function downloadWith<Content>(
  given: CheckedUrl | string,
  options: DownloadOptions,
  policy: Policy,
  keep: (body: Head['body']) => Promise<Content>,
): Promise<Download<Content>> {
  const limits = { ...defaultLimits, ...options.limits };
  return exchange(given, { ...options, limits }, policy, async ({ status, headers, body }) => {
    return { status, headers, content: status === 200 ? await keep(body) : null };
  });
}

async function hashWhile(body: Head['body'], take: (chunk: Uint8Array) => unknown): Promise<StoredContent> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    sizeBytes += chunk.byteLength;
    await take(chunk);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/**
 * Loads a dataset into memory.
 *
 * @throws OutboundRefusal if URL, address or headers are not allowed; nothing was sent
 * @throws OutboundFailure if there was no whole answer within the limits
 */
export async function downloadBytes(
  given: CheckedUrl | string,
  options: DownloadOptions,
  policy: Policy,
): Promise<Download<StoredContent & { readonly bytes: Uint8Array }>> {
  return downloadWith(given, options, policy, async (body) => {
    const chunks: Uint8Array[] = [];
    const stored = await hashWhile(body, (chunk) => chunks.push(chunk));
    return { ...stored, bytes: Buffer.concat(chunks) };
  });
}

/**
 * Loads a dataset into a file, which appears, or replaces an older one, when it is whole.
 *
 * @throws OutboundRefusal if URL, address or headers are not allowed; nothing was sent
 * @throws OutboundFailure if there was no whole answer within the limits
 * @throws Error of the file system
 */
export async function downloadFile(
  given: CheckedUrl | string,
  path: string,
  options: DownloadOptions,
  policy: Policy,
): Promise<Download<StoredContent>> {
  return downloadWith(given, options, policy, async (body) => {
    const partial = `${path}.${randomBytes(6).toString('hex')}.part`;
    const file = await open(partial, 'wx', 0o600);
    try {
      const stored = await hashWhile(body, (chunk) => file.writeFile(chunk));
      await file.sync();
      await file.close();
      await rename(partial, path);
      return stored;
    } catch (error) {
      await file.close();
      await rm(partial, { force: true });
      throw error;
    }
  });
}
