import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../testing/index.ts';
import { connectForCopies, copyOut } from './copy-out.ts';

const place = useTestDatabase();
let sql: ReturnType<typeof connectForCopies>;
beforeAll(async () => {
  sql = connectForCopies(place.url);
  await sql`create table texts (id int primary key, text text)`;
  // Larger together than the stream's buffer, and small enough to arrive with the end of the COPY.
  await sql`insert into texts select n, repeat('x', 20000) from generate_series(1, 30) as n`;
});
afterAll(() => sql.end({ timeout: 5 }));

/** A destination that is slower than the database. */
const slowly = () =>
  new Writable({
    highWaterMark: 1,
    write(_chunk, _encoding, done) {
      void nextTurn().then(() => done());
    },
  });

test('keeps the connection usable after a COPY that filled the buffer of a slow reader', async () => {
  const selection = { name: 'texts', columns: ['id', 'text'], key: ['id'] };
  await sql.begin(async (tx) => {
    for (const last of Array.from({ length: 30 }, (_, index) => index + 1)) {
      const copied = await copyOut(tx, { ...selection, rows: `id <= ${last}` }, [slowly()]);
      expect(copied.rows).toBe(last);
      expect((await tx`select 1 as n`)[0]).toEqual({ n: 1 });
    }
  });
});
