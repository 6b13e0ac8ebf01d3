import type { Database } from '../client.ts';
import { type Board, type BoardQuestion, type RankedRow, rankBoard } from './leaderboard-list.ts';
import { streamRows, streamSnapshot } from './snapshot-stream.ts';

/** Entries fetched at once. */
const chunkRows = 100;

/** A reader may hold a connection, and the database its old rows, for so long. */
const lasts_ms = 5 * 60_000;

/**
 * All entries of a board as of one moment, in the order and with the ranks of its pages. Each part tells what the board
 * leaves out; the first comes even if it holds no entry.
 *
 * @throws SnapshotExpired if the reader takes longer than five minutes
 */
export function streamLeaderboard(db: Database['db'], question: BoardQuestion): AsyncGenerator<Board> {
  return streamSnapshot(db, async function* (tx) {
    const { query, toEntry, excluded, definitionGroup } = await rankBoard(tx, question, null);
    yield { rows: [], excluded, definitionGroup };
    for await (const rows of streamRows<RankedRow>(tx, query, { chunkRows, lasts_ms })) {
      yield { rows: rows.map(toEntry), excluded, definitionGroup };
    }
  });
}
