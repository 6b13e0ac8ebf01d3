import type { Search } from '@inferboard/core/find/words';
import { sql } from 'drizzle-orm';
import type { Standing } from '../schema/accounts.ts';
import { labelWords } from '../schema/results.ts';
import { prepared, value } from '../statement.ts';
import type { Queryable } from '../transaction.ts';

/** Systems that are compared with a search. */
const candidatesMax = 200;

/** A word of fewer letters begins too many labels. */
const wordLength = 2;

/** Only systems on boards: names of other systems are shown on the pages of their submissions alone. */
const isRanked = sql`exists (select 1 from board_points b where b.system_id = s.id and b.status = 'accepted')`;

const systemsByWords = prepared<{ words: string }, { id: string; label: string }>(sql`
  select s.id, s.label from systems s
  where ${labelWords} @@ ${value('words')}::tsquery and ${isRanked}
  order by s.id limit ${sql.raw(String(candidatesMax))}`);

const systemsByRange = prepared<{ from: string; to: string; limit: number }, { id: string; label: string }>(sql`
  select s.id, s.label from systems s
  where s.id >= ${value('from')} and s.id <= ${value('to')}
  order by s.id limit ${value('limit')}::int`);

/** Ids are hexadecimal behind their prefix: all that begin with some digits lie in a range. */
const rangeOf = (start: string) => ({ from: start, to: start.padEnd(50, 'f') });

/** Ranked systems whose labels contain words that begin as those of a search, at most some hundred. */
export async function findSystemsByWords(db: Queryable, { words }: Search): Promise<{ id: string; label: string }[]> {
  if (words.every(([word = '']) => word.length < wordLength)) return [];
  // Words consist of letters, digits and dots: see `wordsOf`.
  const query = words.map((spellings) => `(${spellings.map((spelling) => `'${spelling}':*`).join(' | ')})`).join(' & ');
  return systemsByWords(db, { words: query }, { isUnusual: true });
}

/** Systems whose ids begin with a text such as `sys_3f1c`. */
export const findSystemsByIdStart = (db: Queryable, start: string, limit: number) =>
  systemsByRange(db, { ...rangeOf(start), limit });

export interface FoundAccount {
  id: string;
  name: string;
  standing: Standing;
}

const accountsByPrefix = prepared<{ id: string; pattern: string; limit: number }, FoundAccount>(sql`
  select a.id, a.name, a.standing from accounts a
  where (a.id = ${value('id')} or (a.standing <> 'new' and lower(a.name) like ${value('pattern')}))
    and exists (select 1 from submissions sub where sub.account_id = a.id and sub.retracted_at is null)
  order by lower(a.name) limit ${value('limit')}::int`);

/**
 * Accounts with submissions whose names begin with a text, by name, and the account with this id. New accounts are found
 * by id only: anybody can choose their names.
 */
export const findAccountsByPrefix = (db: Queryable, text: string, limit: number) =>
  accountsByPrefix(
    db,
    { id: text, pattern: `${text.toLowerCase().replace(/[\\%_]/g, String.raw`\$&`)}%`, limit },
    { isUnusual: true },
  );

export interface FoundSubmission {
  id: string;
  tool: string;
  account: string;
  status: string;
  retracted: boolean;
}

const submissionColumns = sql`
  sub.id, sub.tool, a.name as account, sub.status, sub.retracted_at is not null as retracted
  from submissions sub join accounts a on a.id = sub.account_id`;

const submissionsByRange = prepared<{ from: string; to: string; limit: number }, FoundSubmission>(sql`
  select ${submissionColumns}
  where sub.id >= ${value('from')} and sub.id <= ${value('to')} order by sub.id limit ${value('limit')}::int`);

const submissionsByArtifact = prepared<{ sha256: string; limit: number }, FoundSubmission>(sql`
  select ${submissionColumns} where sub.artifact_sha256 = ${value('sha256')}
  order by sub.id limit ${value('limit')}::int`);

const submissionsByResult = prepared<{ id: string }, FoundSubmission>(sql`
  select ${submissionColumns} where sub.id = (select submission_id from results where id = ${value('id')})`);

/** Submissions by a text that is the start of an id, the SHA-256 of an artifact, or the id of a result. */
export async function findSubmissionsByText(db: Queryable, text: string, limit: number): Promise<FoundSubmission[]> {
  if (/^sub_[0-9a-f]{8,40}$/.test(text)) return submissionsByRange(db, { ...rangeOf(text), limit });
  if (/^[0-9a-f]{64}$/.test(text)) return submissionsByArtifact(db, { sha256: text, limit });
  if (/^res_[0-9a-f]{1,40}$/.test(text)) return submissionsByResult(db, { id: text });
  return [];
}
