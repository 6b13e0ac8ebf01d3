import { type Filters, noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric, type MetricName } from '@inferboard/core/metrics/index';
import { type PointTable, rankingNeeds, type TableNeeds } from '@inferboard/core/ranking/point-table';
import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { Database, Transaction } from '../client.ts';
import { readReplayed } from '../queries/log-place.ts';
import { type RowKeys, readRows, readScenarios, readSent, readSystems, type Which } from './point-rows.ts';
import { PointStore } from './point-store.ts';

/** Points read by one statement. */
const chunkPoints = 20_000;

/** What the database says of the moment that a transaction reads. */
interface Moment {
  /** A snapshot, as Postgres writes it: what has committed. */
  snapshot: string;
  /** The file of the table: another one where all of it was replaced. */
  file: string;
  /** Points changed by what has committed since. */
  changed: number[] | null;
  /** Largest id of a point. */
  largest: number;
  /** False where the transaction began before the moment that the index holds. */
  isLater: boolean;
  /** How far the log was written when the primary was asked; null of a copy, and where there is none. */
  written: number | null;
}

type ReadTable = Awaited<ReturnType<typeof readRows>>;

/** All points, chunk by chunk: the database looks for the next one while this one is taken in. */
async function* readAhead(largest: number, read: (which: Which) => Promise<ReadTable>): AsyncGenerator<ReadTable> {
  const begin = (after: number) => {
    const chunk = read({ after, upTo: after + chunkPoints });
    // Told by whoever waits for it, if the one before did not break off.
    chunk.catch(() => {});
    return chunk;
  };
  let next = largest > 0 ? begin(0) : null;
  for (let after = chunkPoints; next !== null; after += chunkPoints) {
    const chunk = await next;
    next = after < largest ? begin(after) : null;
    yield chunk;
  }
}

/** Who asks, and what for. */
export interface TableQuestion {
  needs: TableNeeds;
  filters: Filters;
  /** The metric whose results the filters on results are about; null for results with whatever metric. */
  ranked: Metric | null;
}

/**
 * The statistics of all points in memory, as columns: any bound on any metric over millions of points then takes
 * milliseconds, while the database would read them all. It holds nothing that the database does not; each reader first
 * takes in what others committed. Columns of metrics are read when they are first asked for.
 */
class PointIndex {
  #store: PointStore | null = null;
  /** The moment it is of. What a copy of the database calls a snapshot does not name what was under way. */
  #at: { snapshot: string; file: string; ofReplica: boolean; written: number | null } | null = null;
  /** Milliseconds of the process's clock; null before the first reader. */
  readAt: number | null = null;
  catchUp_ms: number | null = null;
  wholeReads = 0;
  /** True once a copy of the database is read too. */
  isShared = false;
  /** One reader at a time brings it up to date and looks at it. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Gives `work` the points as the transaction sees them, which must be `repeatable read` and begin with this: what the
   * transaction reads later is then of the same moment. `work` is not async, and keeps nothing of the table; it gets the
   * rows of `sent` marked.
   *
   * @param replica connections to the copy that the transaction reads, others than its own, which may all wait for their
   *   turn; null for the primary
   */
  read<T>(
    tx: Transaction,
    { needs, sent, replica }: { needs: TableNeeds; sent: RowKeys | null; replica: Sql | null },
    work: (table: PointTable, sent: Uint8Array | null) => T,
  ): Promise<T> {
    const turn = this.#last.then(async () => {
      if (replica !== null) await this.#requireReached(replica);
      const begun = performance.now();
      const store = await this.#catchUp(tx, needs, replica !== null);
      this.readAt = performance.now();
      this.catchUp_ms = this.readAt - begun;
      await this.#fill(tx, store, store.lacks(needs));
      return work(store, sent === null ? null : store.marks(sent));
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /**
   * Throws where the index holds what the copy has not got yet. Asked before the transaction's first statement, which is
   * its moment: what the copy has by then is there.
   */
  async #requireReached(replica: Sql): Promise<void> {
    const written = this.#at?.written ?? null;
    if (written === null) return;
    const replayed = await readReplayed(replica);
    if (replayed === null || replayed.place < written) throw new Error('the replica is behind what was shown already');
  }

  /** Where nothing is held yet, columns that are needed are read with the rows: a pass of their own takes as long again. */
  async #catchUp(tx: Transaction, needs: TableNeeds, ofReplica: boolean): Promise<PointStore> {
    const { snapshot, file, changed, largest, isLater, written } = await this.#look(tx, ofReplica);
    if (!isLater) throw new Error('the transaction read something else before the points');
    const held = this.#store;
    const isUsable = held !== null && this.#at?.file === file && changed !== null && held.gone <= held.length / 2;
    const store = isUsable ? held : new PointStore();
    if (isUsable) {
      for (let from = 0; from < changed.length; from += chunkPoints) {
        const points = changed.slice(from, from + chunkPoints);
        const read = await readRows(tx, { points }, store.holds, 'all');
        await this.#put(tx, store, read);
        const held = new Set(read.base.pointId);
        for (const id of points) if (!held.has(id)) store.remove(id);
      }
    } else {
      this.wholeReads += 1;
      store.addColumns(needs);
      // Nearly all systems have points. Looked up as they are met, they would wait for the chunk that is read ahead.
      for (const system of (await readSystems(tx, null)).values()) store.addSystem(system);
      for await (const read of readAhead(largest, (which) => readRows(tx, which, store.holds, 'all'))) {
        await this.#put(tx, store, read);
      }
    }
    this.#store = store;
    this.#at = { snapshot, file, ofReplica, written };
    return store;
  }

  /**
   * Rows of a transaction that was under way at the last snapshot have an id at or after its first, and are told once;
   * after a snapshot of a copy, which leaves out what was under way, some are told again.
   */
  async #look(tx: Transaction, ofReplica: boolean): Promise<Moment> {
    const since = this.#at?.snapshot ?? null;
    const notSeen = (column: SQL) =>
      this.#at?.ofReplica === true ? sql`true` : sql`not pg_visible_in_snapshot(${column}, ${since}::pg_snapshot)`;
    const isNew = (column: SQL) => sql`
      ${column} >= pg_snapshot_xmin(${since}::pg_snapshot) and ${column} < pg_snapshot_xmax(pg_current_snapshot())
        and ${notSeen(column)}`;
    const written =
      this.isShared && !ofReplica
        ? sql`pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::double precision`
        : sql`null::double precision`;
    const changed =
      since === null
        ? sql`null`
        : sql`(
          select coalesce(json_agg(id), '[]') from (
            select t.point_id as id from point_statistics t where ${isNew(sql`t.changed_in`)}
            union select p.id from points p where ${isNew(sql`p.emptied_in`)}) q)`;
    const [moment] = (await tx.execute(sql`
      select pg_current_snapshot()::text as snapshot, pg_relation_filenode('point_statistics')::text as file,
        ${written} as written, ${changed} as changed, (select coalesce(max(id), 0)::double precision from points) as largest,
        coalesce(pg_snapshot_xmax(pg_current_snapshot()) >= pg_snapshot_xmax(${since}::pg_snapshot), true) as "isLater"`)) as unknown as Moment[];
    if (moment === undefined) throw new Error('the database did not say what has changed');
    return moment;
  }

  async #put(tx: Transaction, store: PointStore, { base, metrics }: ReadTable): Promise<void> {
    const unknown = store.unknown(base);
    if (unknown.systems.length > 0) {
      for (const system of (await readSystems(tx, unknown.systems)).values()) store.addSystem(system);
    }
    if (unknown.scenarios.length > 0) {
      for (const [id, name] of await readScenarios(tx, unknown.scenarios)) store.addScenario(id, name);
    }
    store.put(base, metrics);
  }

  /** Rows that are held, and those of them that are there no more. */
  get size(): { rows: number; goneRows: number } {
    return { rows: this.#store?.length ?? 0, goneRows: this.#store?.gone ?? 0 };
  }

  /** Reads columns of all points that are held. */
  async #fill(tx: Transaction, store: PointStore, lacking: TableNeeds): Promise<void> {
    if (Object.values(lacking).every((columns) => columns.length === 0)) return;
    store.addColumns(lacking);
    try {
      const largest = store.pointId.reduce((most, id) => Math.max(most, id), 0);
      const read = (which: Which) => readRows(tx, which, lacking, 'metrics');
      for await (const { base, metrics } of readAhead(largest, read)) {
        const rows = base.pointId.map((id, at) => store.rowOf(id, base.status[at] ?? 0, base.variant[at] ?? 0) ?? -1);
        store.setMetrics(Int32Array.from(rows), metrics);
      }
    } catch (error) {
      store.dropColumns(lacking);
      throw error;
    }
  }
}

const indexes = new WeakMap<Database['db'], PointIndex>();
const replicas = new WeakMap<Database['db'], Sql>();

function indexOf(db: Database['db']): PointIndex {
  const index = indexes.get(db) ?? new PointIndex();
  indexes.set(db, index);
  return index;
}

/** The index of a database, one for a process, and how it is read from there. */
export function pointIndexOf(db: Database['db']): {
  read<T>(
    tx: Transaction,
    question: { needs: TableNeeds; sent: RowKeys | null },
    work: (table: PointTable, sent: Uint8Array | null) => T,
  ): Promise<T>;
} {
  const index = indexOf(db);
  const replica = replicas.get(db) ?? null;
  return { read: (tx, question, work) => index.read(tx, { ...question, replica }, work) };
}

/** How the index of a database is, for whoever watches this process. */
export function pointIndexState(db: Database['db']) {
  const { size, readAt, catchUp_ms, wholeReads } = indexOf(db);
  return { ...size, readAt, catchUp_ms, wholeReads };
}

/**
 * Lets a copy of a database be read through the same index: of one in memory there is room, and it is warm should the copy
 * go away. Reads of a copy that lacks what the index holds fail.
 */
export function shareIndex(primary: Database, replica: Database): void {
  const index = indexOf(primary.db);
  index.isShared = true;
  indexes.set(replica.db, index);
  replicas.set(replica.db, replica.sql);
}

/**
 * Reads of one moment: first what points there are, then whatever `then` asks of the same moment. Which of them were sent
 * as the filters ask is found before: that may take long, and nobody waits for it here.
 */
export async function readPoints<T, U>(
  db: Database['db'],
  { needs, filters, ranked }: TableQuestion,
  look: (table: PointTable, sent: Uint8Array | null) => T,
  then: (tx: Transaction, found: T) => Promise<U>,
): Promise<U> {
  const sent = await readSent(db, filters, ranked);
  return await db.transaction(async (tx) => then(tx, await pointIndexOf(db).read(tx, { needs, sent }, look)), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

/** What most bounds are about. Each costs 8 bytes a row; read one by one, each would take a pass over the table. */
const oftenBounded: readonly MetricName[] = [
  'ttft_ms_mean',
  'ttft_ms_p99',
  'itl_ms_mean',
  'itl_ms_p99',
  'tpot_ms_mean',
  'output_tok_s',
  'user_tok_s',
];

/** Reads what most boards ask for, so that the first reader does not wait for it. */
export async function warmPointIndex(db: Database['db'], rankBy: MetricName): Promise<void> {
  const ranked = findMetric(rankBy);
  if (ranked === null) throw new Error(`there is no metric ${rankBy}`);
  const bounds = oftenBounded.map((metric) => ({ metric }));
  const question = { needs: rankingNeeds(ranked, bounds), filters: noFilters, ranked };
  await readPoints(
    db,
    question,
    () => null,
    async () => {},
  );
}
