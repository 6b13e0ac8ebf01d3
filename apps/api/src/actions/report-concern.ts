import { createHmac, randomBytes } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import type { ConcernReader } from '@inferboard/db/queries/concern-find';
import { findConcern } from '@inferboard/db/queries/concern-find';
import { findOpenConcern, insertConcern, type NewConcern, type Reporter } from '@inferboard/db/queries/concern-insert';
import type { RequestName } from '@inferboard/db/queries/idempotency';
import { keepSetting } from '@inferboard/db/queries/setting';
import { type Queryable, transact } from '@inferboard/db/transaction';
import { viewConcern } from '../concern-views.ts';
import type { Deps } from '../deps.ts';
import { jsonLine } from '../json-line.ts';
import { type Answer, keepUnder } from './answer-once.ts';

/** 256 random bits, kept in the settings of the installation: without them no address can be tried against its hash. */
const createSalt = () => randomBytes(32).toString('hex');

/** What stands for an address where it must not be written down. */
export async function hashAddress(db: Queryable, address: string): Promise<string> {
  const salt = await keepSetting(db, 'reporter_salt', createSalt());
  return createHmac('sha256', String(salt)).update(address).digest('hex');
}

const alreadyOpen = (id: string) =>
  new DomainError(
    'concern_already_open',
    `You have reported this submission before (${id}), and it is not decided yet: there is one at a time.`,
  );

/** The quota's name of a reporter. */
export const callerOf = (reporter: Reporter): string =>
  'accountId' in reporter ? `account ${reporter.accountId}` : `address ${reporter.hash}`;

export interface Report {
  concern: NewConcern;
  /** For whom the answer is written. */
  reader: ConcernReader;
  /** The name that the answer is kept under. */
  request: RequestName | null;
}

/**
 * Stores a concern about a submission. The same words again, while it is open, get the first one.
 *
 * @param limit counts it against the reporter's quota, which what is there already costs nothing of
 * @throws DomainError `concern_already_open`, `request_running`, and what `limit` throws
 */
export async function reportConcern(
  deps: Deps,
  { concern, reader, request }: Report,
  limit: () => Promise<void>,
): Promise<Answer> {
  const { db } = deps.database;
  const answer = async (tx: Queryable, id: string, status: Answer['status']): Promise<Answer> => {
    // Whoever has just reported it may see it.
    const row = await findConcern(tx, id, { ...reader, isAdmin: true });
    if (row === null) throw new Error(`concern ${id} vanished`);
    const view = viewConcern(row, reader, deps.publicUrl);
    const made: Answer = { status, location: status === 201 ? view.links.self : null, body: jsonLine(view) };
    if (request !== null) await keepUnder(request)(tx, made);
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
    // Null where another of theirs came in between: it is looked at.
    if (made !== null) return made;
  }
}
