import type { Database } from '../client.ts';
import { readEntries } from './leaderboard-entries.ts';
import { type Board, type BoardQuestion, rankKeys } from './leaderboard-list.ts';
import { SnapshotExpired, streamSnapshot } from './snapshot-stream.ts';

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
  yield* streamSnapshot(db, async function* (tx) {
    const expires = performance.now() + lasts_ms;
    const { entries, settled: _, ...told } = await rankKeys(tx, question, null);
    yield { ...told, rows: [] };
    for (let from = 0; from < entries.length; from += chunkRows) {
      if (performance.now() > expires) throw new SnapshotExpired('The rows were not read in time.');
      const rows = await readEntries(tx, question.rankBy, entries.slice(from, from + chunkRows));
      yield { ...told, rows };
    }
  });
}
