import { noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric, type MetricName } from '@inferboard/core/metrics/index';
import { type PointTable, pointCodes, rankingNeeds } from '@inferboard/core/ranking/point-table';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../client.ts';
import { insertAccount } from '../queries/account.ts';
import { refreshPointStatistics } from '../queries/point-statistics-refresh.ts';
import { retractSubmission } from '../queries/submission-retract.ts';
import { useTestDatabase } from '../testing/index.ts';
import { insertMeasured, type Measured } from '../testing/insert-measured.ts';
import { pointIndexOf, readPoints } from './point-index.ts';

const testDatabase = useTestDatabase();
/** One that has held its index from the start, and one that writes. */
let reader: Database;
let writer: Database;
let accountId: string;
beforeAll(async () => {
  reader = createDatabase(testDatabase.url, { poolSize: 4 });
  writer = createDatabase(testDatabase.url, { poolSize: 8 });
  accountId = (await insertAccount(writer.db, 'writer'))?.id ?? '';
});
afterAll(() => Promise.all([reader.close(), writer.close()]));

function metricOf(name: MetricName): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

const ranked = metricOf('decode_tok_s');

/** All that a table tells, in an order of its own. */
function told(table: PointTable): string[] {
  const values = table.values('decode_tok_s');
  const { n, sd, tools } = table.figures('decode_tok_s');
  const { codes, ids } = table.definitions('decode_tok_s');
  const rows: string[] = [];
  for (let row = 0; row < table.length; row += 1) {
    const status = pointCodes.status[table.status[row] ?? -1];
    if (status === undefined) continue;
    const system = table.systems[table.system[row] ?? -1];
    const workload = table.workloads[table.workload[row] ?? -1];
    const key = [table.pointId[row], status, table.variant[row], workload, system?.engineVersion, table.loadLevel[row]];
    const figures = [values[row], n[row], sd[row], table.tools[tools[row] ?? -1], ids[codes[row] ?? -1]];
    rows.push(JSON.stringify([...key, ...figures, pointCodes.trust[table.trust[row] ?? -1]]));
  }
  return rows.sort();
}

const read = (database: Database) =>
  readPoints(
    database.db,
    { needs: rankingNeeds(ranked, []), filters: noFilters, ranked },
    told,
    async (_, rows) => rows,
  );

/** What somebody sees who has just come. */
async function readAfresh(): Promise<string[]> {
  const fresh = createDatabase(testDatabase.url, { poolSize: 1 });
  try {
    return await read(fresh);
  } finally {
    await fresh.close();
  }
}

const measured = (system: string, definition: string, ...values: number[]): Measured => ({
  system,
  metrics: values.map((decode_tok_s) => ({ decode_tok_s })),
  definitions: { decode_tok_s: definition },
});
const insert = (...points: Measured[]) => insertMeasured(writer, accountId, points);

test('every row has its workload, also after a change', async () => {
  const workloads = () =>
    readPoints(
      reader.db,
      { needs: rankingNeeds(ranked, []), filters: noFilters, ranked },
      ({ length, workload, workloads, regime }) =>
        Array.from({ length }, (_, row) => [workloads[workload[row] ?? -1], pointCodes.regime[regime[row] ?? -1]]),
      async (_, found) => found,
    );
  await insert(measured('steady', 'client', 10), { ...measured('steady', 'client', 20), mode: 'burst' });
  expect((await workloads()).sort()).toEqual([
    ['chatbot-burst', 'burst'],
    ['chatbot-steady', 'steady'],
  ]);
  await insert({ ...measured('offline', 'client', 10), mode: 'batch' }, measured('steady', 'client', 30));
  expect((await workloads()).sort()).toEqual([
    ['chatbot-burst', 'burst'],
    ['chatbot-offline', 'offline'],
    ['chatbot-steady', 'steady'],
  ]);
});

describe('a held index', () => {
  test('is what a fresh one is, whatever was written meanwhile and at once', async () => {
    let seed = 7;
    const pick = (below: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    const upload = () =>
      insert(
        ...Array.from({ length: 1 + pick(4) }, () =>
          measured(
            `v${pick(6)}`,
            pick(3) === 0 ? 'in_process' : 'client',
            ...Array.from({ length: 1 + pick(3) }, () => 1 + pick(90)),
          ),
        ),
      );
    for (let round = 0; round < 8; round += 1) {
      // Some read while others write.
      await Promise.all([upload(), upload(), read(reader), upload(), read(reader)]);
      const [last] = await writer.sql<{ id: string }[]>`
        select id from submissions where status = 'accepted' order by id desc offset ${pick(3)} limit 1`;
      if (round % 2 === 1 && last !== undefined) await retractSubmission(writer.db, last.id, 'a mistake');
      expect(await read(reader)).toEqual(await readAfresh());
    }
    expect((await read(reader)).length).toBeGreaterThan(12);
  });

  test('sees at last what began before it looked and was committed after', async () => {
    await insert(measured('slow', 'client', 10));
    const point = (
      await writer.sql<{ id: string }[]>`
      select p.id from points p join systems s on s.id = p.system_id where s.engine_version = 'slow'`
    )[0]?.id;
    const begun = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const slow = writer.db.transaction(async (tx) => {
      await tx.execute(sql`update results set decode_tok_s = 11 where point_id = ${Number(point)}`);
      await refreshPointStatistics(tx, [Number(point)]);
      begun.resolve();
      await looked.promise;
    });
    await begun.promise;
    // Others have come and gone, and were seen, by the time it ends.
    await insert(measured('quick', 'client', 20));
    const before = await read(reader);
    expect(before.filter((row) => row.includes('"slow",8,10,'))).toHaveLength(1);
    looked.resolve();
    await slow;
    await insert(measured('quick', 'client', 22));
    expect((await read(reader)).filter((row) => row.includes('"slow",8,11,'))).toHaveLength(1);
    expect(await read(reader)).toEqual(await readAfresh());
  });

  test('is of the moment of its transaction, as what is read after it', async () => {
    await insert(measured('moment', 'client', 1));
    const rows = await readPoints(
      reader.db,
      { needs: rankingNeeds(ranked, []), filters: noFilters, ranked },
      told,
      async (tx, table) => {
        await insert(measured('moment', 'client', 3));
        const stored = (await tx.execute(sql`
          select t.decode_tok_s as value from point_statistics t join points p on p.id = t.point_id
          join systems s on s.id = p.system_id where s.engine_version = 'moment'`)) as unknown as { value: number }[];
        return { table, stored };
      },
    );
    expect(rows.stored).toEqual([{ value: 1 }]);
    expect(rows.table.filter((row) => row.includes('"moment",8,1,'))).toHaveLength(1);
    expect((await read(reader)).filter((row) => row.includes('"moment",8,2,'))).toHaveLength(1);
  });

  test('refuses a transaction that read something before: it may see less than the index holds', async () => {
    const early = reader.db.transaction(
      async (tx) => {
        await tx.execute(sql`select 1 from points limit 1`);
        await insert(measured('unseen', 'client', 1));
        await read(reader);
        return await pointIndexOf(reader.db).read(tx, { needs: rankingNeeds(ranked, []), sent: null }, told);
      },
      { isolationLevel: 'repeatable read' },
    );
    await expect(early).rejects.toThrow('read something else before');
    expect(await read(reader)).toEqual(await readAfresh());
  });

  test('finds what changed by an index', async () => {
    await insert(...Array.from({ length: 300 }, (_, i) => measured(`many${i}`, 'client', i + 1)));
    await writer.sql`analyze point_statistics`;
    const plan = await writer.sql`
      explain select t.point_id from point_statistics t where t.changed_in >= pg_snapshot_xmin(pg_current_snapshot())`;
    expect(JSON.stringify(plan)).toContain('point_statistics_changed_in');
  });

  test('begins anew where the table was replaced', async () => {
    await read(reader);
    await writer.sql`truncate results, point_statistics, points, scenarios, systems, submissions, artifacts cascade`;
    expect(await read(reader)).toEqual([]);
    await insert(measured('after', 'client', 5));
    expect(await read(reader)).toHaveLength(1);
  });

  test('goes on after a read that failed', async () => {
    const failing = readPoints(
      reader.db,
      {
        needs: { ...rankingNeeds(ranked, []), values: ['decode_tok_s', 'no_metric' as MetricName] },
        filters: noFilters,
        ranked,
      },
      told,
      async (_, rows) => rows,
    );
    await expect(failing).rejects.toThrow();
    expect(await read(reader)).toEqual(await readAfresh());
  });
});
