import { mlperfRounds, mlperfTitle } from '@inferboard/core/subjects/publication-dates';
import { type SQL, sql } from 'drizzle-orm';

/** A timestamp as text that sorts chronologically. */
export const textOf = (time: SQL): SQL =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C"`;

const text = (value: string) => sql.raw(`'${value.replaceAll("'", "''")}'`);

const rounds: SQL = sql.join(
  Object.entries(mlperfRounds).map(
    ([round, date]) => sql`when ${text(`${mlperfTitle}${round}`)} then ${text(`${date}T00:00:00.000Z`)}`,
  ),
  sql` `,
);

/**
 * The date of a source of results `r`: the one in its entry, else that of its MLPerf round; null if it states none. It stays
 * text, because an entry may contain an invalid date.
 */
export const publishedText = (r: SQL): SQL => sql`coalesce(
  substring(${r}.source ->> 'entry' from '\\m20\\d\\d-[01]\\d-[0-3]\\d\\M') || 'T00:00:00.000Z',
  case substring(${r}.source ->> 'title' from ${text(`^${mlperfTitle}[0-9]+\\.[0-9]+`)}) ${rounds} end)`;

/** When results `r` were measured, by the tool's timestamp, else by the date of their source. Null if neither is known. */
export const datedText = (r: SQL): SQL => sql`coalesce(${textOf(sql`${r}.measured_at`)}, ${publishedText(r)})`;
