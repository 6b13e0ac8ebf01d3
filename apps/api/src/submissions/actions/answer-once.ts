import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { DomainError } from '@inferboard/core/errors';
import type { Queryable } from '@inferboard/db/connection/transaction';
import {
  beat_ms,
  beatRequest,
  claimRequest,
  keepAnswer,
  type RequestName,
  releaseRequest,
  type StoredAnswer,
} from '@inferboard/db/service/idempotency';
import type { Deps } from '../../deps.ts';

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

export interface Answer {
  status: 200 | 201;
  location: string | null;
  /** JSON, as text or as UTF-8 bytes. */
  body: string | Uint8Array<ArrayBuffer>;
}

/** Stores a response in the transaction that stores its data. */
export type StoreAnswer = (db: Queryable, answer: Answer) => Promise<void>;

const running = () =>
  new DomainError('request_running', 'The first request with this Idempotency-Key is still running. Try again.');

/**
 * Stores the response for the request with this idempotency key.
 *
 * @throws DomainError `request_running` if another request now holds the key
 */
export const storeAnswerFor =
  (request: RequestName): StoreAnswer =>
  async (tx, { status, location, body }) => {
    if (!(await keepAnswer(tx, request, { status, location, body: await pack(body) }))) throw running();
  };

const longest = 255;

/**
 * The request's `Idempotency-Key`; null if there is none.
 *
 * @throws DomainError `request_invalid`
 */
export function requestNameOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(header) && header.length <= longest) return header;
  const message = `Idempotency-Key must be 1 to ${longest} printable ASCII characters.`;
  throw new DomainError('request_invalid', message, [
    { code: 'value_invalid', parameter: 'Idempotency-Key', message, hint: 'Use a random UUID.' },
  ]);
}

/**
 * Claims an idempotency key. Returns null if the caller must do the work, otherwise the response to the first request, with a
 * body that is still compressed.
 *
 * @throws DomainError `idempotency_key_reused`, `request_running`
 */
export async function claimName(deps: Deps, request: RequestName, fingerprint: string): Promise<StoredAnswer | null> {
  const claim = await claimRequest(deps.database.db, request, fingerprint);
  if (claim.state === 'other_request')
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new one for each request.',
    );
  if (claim.state === 'running') throw running();
  return claim.state === 'answered' ? claim.answer : null;
}

/** Does work under a claimed key, and releases the key if it fails. */
export async function whileClaimed<T>({ database: { db } }: Deps, request: RequestName, work: () => Promise<T>) {
  // A missed heartbeat does no harm: the next may succeed, and two requests that hold a key cannot both commit.
  const beat = setInterval(() => beatRequest(db, request).catch(() => {}), beat_ms);
  try {
    return await work();
  } catch (error) {
    await releaseRequest(db, request);
    throw error;
  } finally {
    clearInterval(beat);
  }
}

/**
 * Does the work of a request with an idempotency key once and stores its response. A repeated request gets the stored response.
 * Failed work stores nothing.
 *
 * @throws DomainError `idempotency_key_reused`, `request_running`, and the errors of `work`
 */
export async function answerOnce(
  deps: Deps,
  request: RequestName,
  fingerprint: string,
  work: () => Promise<Answer>,
): Promise<Answer & { replayed: boolean }> {
  const first = await claimName(deps, request, fingerprint);
  if (first === null) return { ...(await whileClaimed(deps, request, work)), replayed: false };
  const { status, location, body } = first;
  return { status: status === 201 ? 201 : 200, location, body: await unpack(body), replayed: true };
}
