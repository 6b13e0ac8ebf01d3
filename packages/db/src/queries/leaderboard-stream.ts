import type { Database } from '../client.ts';
import { pointIndexOf } from '../point-index/point-index.ts';
import { readSent } from '../point-index/point-rows.ts';
import { type Board, type BoardQuestion, boardTable, rankKeys, readEntries } from './leaderboard-list.ts';
import { SnapshotExpired, streamSnapshot } from './snapshot-stream.ts';
import { readWorkload } from './workload-facts.ts';

/** Entries read at once. */
const chunkRows = 100;

/** A reader may hold a connection, and the database its old rows, for so long. */
const lasts_ms = 5 * 60_000;

/**
 * All entries of a board as of one moment, in the order and with the ranks of its pages. Each part tells what the board
 * leaves out; the first comes even if it holds no entry.
 *
 * @throws SnapshotExpired if the reader takes longer than five minutes
 */
export async function* streamLeaderboard(db: Database['db'], question: BoardQuestion): AsyncGenerator<Board> {
  const { needs, filters, ranked: metric } = boardTable(question);
  const sent = await readSent(db, filters, metric);
  yield* streamSnapshot(db, async function* (tx) {
    const expires = performance.now() + lasts_ms;
    const ranked = await pointIndexOf(db).read(tx, { needs, sent }, (table, marks) =>
      rankKeys(table, question, marks, null),
    );
    const { entries, excluded, definition } = ranked;
    const told = { excluded, definition, workload: await readWorkload(tx, ranked.workload) };
    yield { ...told, rows: [] };
    for (let from = 0; from < entries.length; from += chunkRows) {
      if (performance.now() > expires) throw new SnapshotExpired('The rows were not read in time.');
      const rows = await readEntries(tx, question.rankBy, entries.slice(from, from + chunkRows));
      yield { ...told, rows };
    }
  });
}
