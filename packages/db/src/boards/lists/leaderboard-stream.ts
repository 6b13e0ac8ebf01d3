import type { Database } from '../../connection/client.ts';
import { SnapshotExpired, streamSnapshot } from '../../service/snapshot-stream.ts';
import { readEntries } from './leaderboard-entries.ts';
import { type Board, type BoardQuestion, rankKeys } from './leaderboard-list.ts';

/** Entries per read. */
const chunkRows = 100;

/** Maximum duration of a stream, which holds a connection and keeps old row versions alive. */
const lasts_ms = 5 * 60_000;

/**
 * Streams all entries of a board from one snapshot, with the order and ranks of its pages. Each chunk states what the board
 * excludes; the first chunk arrives even if it has no entries.
 *
 * @throws SnapshotExpired if the reader takes longer than five minutes
 */
export async function* streamLeaderboard(db: Database['db'], question: BoardQuestion): AsyncGenerator<Board> {
  yield* streamSnapshot(db, async function* (tx) {
    const expires = performance.now() + lasts_ms;
    const { entries, scope: _, ...board } = await rankKeys(tx, question, null);
    yield { ...board, rows: [] };
    for (let from = 0; from < entries.length; from += chunkRows) {
      if (performance.now() > expires) throw new SnapshotExpired('The rows were not read in time.');
      const rows = await readEntries(tx, question.rankBy, entries.slice(from, from + chunkRows));
      yield { ...board, rows };
    }
  });
}
