import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import type { BoardPage, Order } from '@inferboard/core/ranking/board';
import type { Choice } from '@inferboard/core/ranking/choice';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { sql } from 'drizzle-orm';
import { countImported, type ImportedCount } from '../boards/count-imported.ts';
import { countLeftOut, type LeftOut } from '../boards/left-out.ts';
import { type SettledBoard, settleBoard } from '../boards/settle.ts';
import type { StoredEntry } from '../boards/stored-row.ts';
import { walkBoard } from '../boards/walk-board.ts';
import type { Database, Transaction } from '../client.ts';
import { prepared } from '../statement.ts';
import { atOnce } from '../transaction.ts';
import { type LeaderboardRow, readEntries } from './leaderboard-entries.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

/** What a board is of. `order`: which end of the values is first. */
export interface BoardQuestion {
  rankBy: Metric;
  order: Order;
  filters: Filters;
  /** A formula, or a group of them, that is asked for. */
  definition: string | null;
  /** The group that an earlier page chose. */
  chosen?: string | null;
  /** Whether points left out are counted to the last, however many. */
  countsAll?: boolean;
  /** What has one entry each, its best; systems if nothing else is asked for. */
  subject?: Dimension;
}

/** A page of a board. */
export interface LeaderboardQuestion extends BoardQuestion, BoardPage {
  /** The metrics of a point that entries tell, beside the ranked one; null for all of them, and the results behind it. */
  shown?: readonly MetricName[] | null;
}

export interface Board extends LeftOut {
  rows: LeaderboardRow[];
  /** Null where nothing could be ranked. */
  workload: WorkloadChoice | null;
  /** The group of definitions that was ranked; null where the metric has one formula. */
  definition: Choice | null;
}

export interface Leaderboard extends Board, ImportedCount {
  hasMore: boolean;
}

/** What a board asks of the points. */
const askingOf = ({ rankBy, chosen = null, subject = 'system', countsAll = false, ...asked }: BoardQuestion) => ({
  kind: rankBy.family.kind,
  metrics: [rankBy],
  dimensions: [subject],
  filters: asked.filters,
  definition: asked.definition,
  order: asked.order,
  chosen,
  subject,
  countsAll,
});

/** A board by the keys of its entries: a page and one entry more where there is one, or all. */
export interface RankedKeys extends LeftOut {
  entries: StoredEntry[];
  workload: WorkloadChoice | null;
  definition: Choice | null;
  settled: SettledBoard;
}

/** Ranks the points of the transaction's moment; what a board shows of them is still to be read. */
export async function rankKeys(tx: Transaction, question: BoardQuestion, page: BoardPage | null): Promise<RankedKeys> {
  const asking = askingOf(question);
  const settled = await settleBoard(tx, asking);
  const [leftOut, entries, workload] = await atOnce([
    countLeftOut(tx, asking, settled),
    walkBoard(tx, asking, settled, page),
    readWorkload(tx, settled.workload),
  ]);
  return { ...leftOut, entries, workload, definition: settled.definitions[0] ?? null, settled };
}

const asOneMoment = prepared<Record<string, never>>(sql`set transaction isolation level repeatable read, read only`);

/** Reads of one moment. What makes it one is sent together with the first of them. */
export const atOneMoment = <T>(db: Database['db'], read: (tx: Transaction) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    const [, found] = await atOnce([asOneMoment(tx, {}), read(tx)]);
    return found;
  });

/** A page of each system, or other subject, at its best point under the constraints, as `BoardWalk` of core ranks it. */
export function listLeaderboard(db: Database['db'], question: LeaderboardQuestion): Promise<Leaderboard> {
  const { limit, rankBy, shown = null } = question;
  return atOneMoment(db, async (tx) => {
    const { entries, settled, ...board } = await rankKeys(tx, question, question);
    const [rows, imported] = await atOnce([
      readEntries(tx, rankBy, entries.slice(0, limit), shown),
      countImported(tx, askingOf(question), { settled, page: question, entries }),
    ]);
    return { ...board, ...imported, hasMore: entries.length > limit, rows };
  });
}
