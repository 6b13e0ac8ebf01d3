import type { Sql } from 'postgres';

/** Results per statement, small enough to stay below the timeout on slow machines. */
const batchSize = 5000;

/**
 * Inserts many copies of a result at its point, in the same submission. Does not update derived data such as statistics.
 *
 * @param from the first number for ids and artifact indexes
 */
export async function floodPoint(
  sql: Sql,
  { id, count, from = 0, status }: { id: string; count: number; from?: number; status: string },
): Promise<void> {
  for (let done = 0; done < count; done += batchSize) {
    const [first, last] = [done + 1, Math.min(done + batchSize, count)];
    // In the from clause, the function runs once per row; as (jsonb_populate_record(...)).* it would run once per row and
    // column.
    await sql`
      insert into results
      select copy.*
      from results r, generate_series(${first}::int, ${last}::int) i,
        jsonb_populate_record(r, jsonb_build_object('id', 'res_' || lpad(to_hex(${from}::int + i), 24, '0'),
          'ordinal', 100000 + ${from}::int + i, 'status', ${status}::text, 'output_tok_s', 100 + i % 7)) copy
      where r.id = ${id}`;
  }
}
