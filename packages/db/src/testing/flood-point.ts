import type { Sql } from 'postgres';

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
  await sql`
    insert into results
    select (jsonb_populate_record(r, jsonb_build_object('id', 'res_' || lpad(to_hex(${from}::int + i), 24, '0'),
      'ordinal', 100000 + ${from}::int + i, 'status', ${status}::text, 'output_tok_s', 100 + i % 7))).*
    from results r, generate_series(1, ${count}::int) i where r.id = ${id}`;
}
