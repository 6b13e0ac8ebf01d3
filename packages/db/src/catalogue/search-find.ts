import type { Search } from '@inferboard/core/find/words';
import { type SQL, sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import type { Standing } from '../schema/accounts.ts';
import { labelWords } from '../schema/results.ts';

/** Maximum systems to compare with a search. */
const candidatesMax = 200;

/** Minimum letters of a word: shorter ones match too many labels. */
const wordLength = 2;

/** Only systems on boards: other systems' names are shown on the pages of their submissions only. */
const isRanked = sql`exists (select 1 from board_points b where b.system_id = s.id and b.status = 'accepted')`;

const systemsByWords = prepared<{ words: string }, { id: string; label: string }>(sql`
  select s.id, s.label from systems s
  where ${labelWords} @@ ${value('words')}::tsquery and ${isRanked}
  order by s.id limit ${sql.raw(String(candidatesMax))}`);

const systemsByRange = prepared<{ from: string; to: string; limit: number }, { id: string; label: string }>(sql`
  select s.id, s.label from systems s
  where s.id >= ${value('from')} and s.id <= ${value('to')}
  order by s.id limit ${value('limit')}::int`);

/** Ids are a prefix and hexadecimal digits, so all ids with a common start form a range. */
const rangeOf = (start: string) => ({ from: start, to: start.padEnd(50, 'f') });

/** The search's words as a tsquery: each spelling matches the words that start with it. */
const toTsquery = ({ words }: Search): string =>
  // Words consist of letters, digits and dots; see `wordsOf`.
  words.map((spellings) => `(${spellings.map((spelling) => `'${spelling}':*`).join(' | ')})`).join(' & ');

/** The condition that the label of the system `s` contains words that start with the search's words. */
export const labelHasWords = (search: Search): SQL => sql`${labelWords} @@ ${toTsquery(search)}::tsquery`;

/** Ranked systems whose labels contain words that start with the search's words; at most `candidatesMax`. */
export async function findSystemsByWords(db: Queryable, search: Search): Promise<{ id: string; label: string }[]> {
  if (search.words.every(([word = '']) => word.length < wordLength)) return [];
  return systemsByWords(db, { words: toTsquery(search) }, { isUnusual: true });
}

/** Systems whose ids start with a text such as `sys_3f1c`. */
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
 * Accounts with submissions whose names start with a text, by name, and the account with this id. New accounts match by id
 * only, because anyone can choose their names.
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

/** Submissions by the start of an id, the SHA-256 of an artifact, or the id of a result. */
export async function findSubmissionsByText(db: Queryable, text: string, limit: number): Promise<FoundSubmission[]> {
  if (/^sub_[0-9a-f]{8,40}$/.test(text)) return submissionsByRange(db, { ...rangeOf(text), limit });
  if (/^[0-9a-f]{64}$/.test(text)) return submissionsByArtifact(db, { sha256: text, limit });
  if (/^res_[0-9a-f]{1,40}$/.test(text)) return submissionsByResult(db, { id: text });
  return [];
}
