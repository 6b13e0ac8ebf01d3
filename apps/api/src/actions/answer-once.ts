import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { DomainError } from '@inferboard/core/errors';
import {
  beat_ms,
  beatRequest,
  claimRequest,
  keepAnswer,
  type RequestName,
  releaseRequest,
} from '@inferboard/db/queries/idempotency';
import type { Queryable } from '@inferboard/db/transaction';
import type { Deps } from '../deps.ts';

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

export interface Answer {
  status: 200 | 201;
  location: string | null;
  /** JSON, as text or in UTF-8. */
  body: string | Uint8Array<ArrayBuffer>;
}

/** Keeps an answer, in the transaction that stores what it tells of. */
export type Keep = (db: Queryable, answer: Answer) => Promise<void>;

const running = () =>
  new DomainError('request_running', 'The first request of this Idempotency-Key is still running: try again.');

/** Keeps the answer to the request of this name. @throws DomainError `request_running` where another holds the name by now */
export const keepUnder =
  (request: RequestName): Keep =>
  async (tx, { status, location, body }) => {
    if (!(await keepAnswer(tx, request, { status, location, body: await pack(body) }))) throw running();
  };

const longest = 255;

/**
 * The name that a caller gave a request in `Idempotency-Key`; null where none was given.
 *
 * @throws DomainError `request_invalid`
 */
export function requestNameOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(header) && header.length <= longest) return header;
  const message = `Idempotency-Key must be 1 to ${longest} printable ASCII characters.`;
  throw new DomainError('request_invalid', message, [
    { code: 'value_invalid', parameter: 'Idempotency-Key', message, hint: 'A random UUID does.' },
  ]);
}

/**
 * Does the work of a named request once, which keeps its answer. A repetition gets the answer that was kept; work that is
 * refused leaves no trace.
 *
 * @throws DomainError `idempotency_key_reused`, `request_running`, and whatever `work` throws
 */
export async function answerOnce(
  deps: Deps,
  request: RequestName,
  fingerprint: string,
  work: () => Promise<Answer>,
): Promise<Answer & { replayed: boolean }> {
  const { db } = deps.database;
  const claim = await claimRequest(db, request, fingerprint);
  if (claim.state === 'other_request')
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Every request needs a name of its own.',
    );
  if (claim.state === 'running') throw running();
  if (claim.state === 'answered') {
    const { status, location, body } = claim.answer;
    return { status: status === 201 ? 201 : 200, location, body: await unpack(body), replayed: true };
  }
  // One that is missed does no harm: the next may come, and two that hold a name cannot both commit.
  const beat = setInterval(() => beatRequest(db, request).catch(() => {}), beat_ms);
  try {
    return { ...(await work()), replayed: false };
  } catch (error) {
    await releaseRequest(db, request);
    throw error;
  } finally {
    clearInterval(beat);
  }
}
