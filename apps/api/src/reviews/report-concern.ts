import { createHmac, randomBytes } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import { type Queryable, transact } from '@inferboard/db/connection/transaction';
import type { ConcernReader } from '@inferboard/db/reviews/concern-find';
import { findConcern } from '@inferboard/db/reviews/concern-find';
import { findOpenConcern, insertConcern, type NewConcern, type Reporter } from '@inferboard/db/reviews/concern-insert';
import type { RequestName } from '@inferboard/db/service/idempotency';
import { keepSetting } from '@inferboard/db/service/setting';
import type { Deps } from '../deps.ts';
import { type Answer, storeAnswerFor } from '../submissions/actions/answer-once.ts';
import { jsonLine } from '../submissions/json-line.ts';
import { viewConcern } from './concern-views.ts';

/** 256 random bits, stored in the settings of the installation. Without them an address cannot be guessed from its hash. */
const createSalt = () => randomBytes(32).toString('hex');

/** A salted hash that replaces an address in storage. */
export async function hashAddress(db: Queryable, address: string): Promise<string> {
  const salt = await keepSetting(db, 'reporter_salt', createSalt());
  return createHmac('sha256', String(salt)).update(address).digest('hex');
}

const alreadyOpen = (id: string) =>
  new DomainError(
    'concern_already_open',
    `You already have an open concern about this submission (${id}). Wait for the decision.`,
  );

/** The caller name of a reporter in quotas. */
export const callerOf = (reporter: Reporter): string =>
  'accountId' in reporter ? `account ${reporter.accountId}` : `address ${reporter.hash}`;

export interface Report {
  concern: NewConcern;
  /** The reader of the response. */
  reader: ConcernReader;
  /** The idempotency key under which the response is stored. */
  request: RequestName | null;
}

/**
 * Stores a concern about a submission. If the same concern is still open, returns it.
 *
 * @param limit counts the concern against the reporter's quota; duplicates are not counted
 * @throws DomainError `concern_already_open`, `request_running`, and the errors of `limit`
 */
export async function reportConcern(
  deps: Deps,
  { concern, reader, request }: Report,
  limit: () => Promise<void>,
): Promise<Answer> {
  const { db } = deps.database;
  const answer = async (tx: Queryable, id: string, status: Answer['status']): Promise<Answer> => {
    // The reporter may see their new concern.
    const row = await findConcern(tx, id, { ...reader, isAdmin: true });
    if (row === null) throw new Error(`concern ${id} does not exist`);
    const view = viewConcern(row, reader, deps.publicUrl);
    const made: Answer = { status, location: status === 201 ? view.links.self : null, body: jsonLine(view) };
    if (request !== null) await storeAnswerFor(request)(tx, made);
    return made;
  };
  for (let isCounted = false; ; ) {
    const open = await findOpenConcern(db, concern);
    if (open !== null) {
      if (open.reason !== concern.reason || open.text !== concern.text) throw alreadyOpen(open.id);
      return answer(db, open.id, 200);
    }
    if (!isCounted) await limit();
    isCounted = true;
    const made = await transact(db, async (tx) => {
      const id = await insertConcern(tx, concern);
      return id === null ? null : answer(tx, id, 201);
    });
    // Null if a concurrent concern of the same reporter came first: read that one.
    if (made !== null) return made;
  }
}
