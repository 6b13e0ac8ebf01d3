import type { Sql } from 'postgres';

/** Results that one statement stores: no statement comes near the timeout, however slow the machine is. */
const batchSize = 5000;

/**
 * Stores a result many times more at its point, of the same submission, as a flood of them would lie there. What is derived from
 * them, such as statistics, is left as it was.
 *
 * @param from the first of the numbers that ids and places in the artifact are made of
 */
export async function floodPoint(
  sql: Sql,
  { id, count, from = 0, status }: { id: string; count: number; from?: number; status: string },
): Promise<void> {
  for (let done = 0; done < count; done += batchSize) {
    const [first, last] = [done + 1, Math.min(done + batchSize, count)];
    // As a source of rows it is called once a row; written as (jsonb_populate_record(...)).* once a row and column.
    await sql`
      insert into results
      select copy.*
      from results r, generate_series(${first}::int, ${last}::int) i,
        jsonb_populate_record(r, jsonb_build_object('id', 'res_' || lpad(to_hex(${from}::int + i), 24, '0'),
          'ordinal', 100000 + ${from}::int + i, 'status', ${status}::text, 'output_tok_s', 100 + i % 7)) copy
      where r.id = ${id}`;
  }
}
