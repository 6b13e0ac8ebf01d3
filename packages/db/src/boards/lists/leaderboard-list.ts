import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric, MetricName } from '@inferboard/core/metrics/index';
import type { BoardPage, Order } from '@inferboard/core/ranking/board';
import type { Choice } from '@inferboard/core/ranking/choice';
import type { Dimension } from '@inferboard/core/ranking/subject';
import type { Database, Transaction } from '../../connection/client.ts';
import { atOnce } from '../../connection/transaction.ts';
import { atOneMoment } from '../../service/moment.ts';
import { type BoardScope, resolveScope } from '../board-scope.ts';
import { countImported, type ImportedCount } from '../count-imported.ts';
import { countLeftOut, type LeftOut } from '../left-out.ts';
import type { StoredEntry } from '../stored-row.ts';
import { walkBoard } from '../walk-board.ts';
import { type LeaderboardRow, readEntries, readShortEntries, type ShortLeaderboardRow } from './leaderboard-entries.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

/** A board request. `order`: which end of the values comes first. */
export interface BoardQuestion {
  rankBy: Metric;
  order: Order;
  filters: Filters;
  /** The requested formula or formula group. */
  definition: string | null;
  /** The group that an earlier page chose. */
  chosen?: string | null;
  /** Whether to count all excluded points, without a limit. */
  countsAll?: boolean;
  /** The subject of an entry, which shows its best point; systems by default. */
  subject?: Dimension;
}

/** A page of a board. */
export interface LeaderboardQuestion extends BoardQuestion, BoardPage {}

/** A page of a board with short entries. */
interface ShortQuestion extends LeaderboardQuestion {
  /** Metrics of short entries in addition to the ranked one; null for full entries. */
  shown: readonly MetricName[] | null;
}

export interface Board<Row = LeaderboardRow> extends LeftOut {
  rows: Row[];
  /** Null if no point could be ranked. */
  workload: WorkloadChoice | null;
  /** The formula group that is ranked; null if the metric has one formula. */
  definition: Choice | null;
}

export interface Leaderboard<Row = LeaderboardRow> extends Board<Row>, ImportedCount {
  hasMore: boolean;
}

/** The conditions that a board places on points. */
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

/** A board by the keys of its entries: a page plus one entry if more exist, or all entries. */
export interface RankedKeys extends LeftOut {
  entries: StoredEntry[];
  workload: WorkloadChoice | null;
  definition: Choice | null;
  scope: BoardScope;
}

/** Ranks points in the transaction's snapshot. Reads keys only; the displayed fields are read later. */
export async function rankKeys(tx: Transaction, question: BoardQuestion, page: BoardPage | null): Promise<RankedKeys> {
  const asking = askingOf(question);
  const scope = await resolveScope(tx, asking);
  const [leftOut, entries, workload] = await atOnce([
    countLeftOut(tx, asking, scope),
    walkBoard(tx, asking, scope, page),
    readWorkload(tx, scope.workload),
  ]);
  return { ...leftOut, entries, workload, definition: scope.definitions[0] ?? null, scope };
}

/**
 * A page of the board: each system, or other subject, at its best point under the constraints, as ranked by `BoardWalk` in
 * core.
 */
export function listLeaderboard(
  db: Database['db'],
  question: LeaderboardQuestion & { shown?: never },
): Promise<Leaderboard>;
export function listLeaderboard(
  db: Database['db'],
  question: ShortQuestion,
): Promise<Leaderboard<LeaderboardRow | ShortLeaderboardRow>>;
export function listLeaderboard(
  db: Database['db'],
  question: LeaderboardQuestion & Partial<ShortQuestion>,
): Promise<Leaderboard<LeaderboardRow | ShortLeaderboardRow>> {
  const { limit, rankBy, shown = null } = question;
  return atOneMoment(db, async (tx) => {
    const { entries, scope, ...board } = await rankKeys(tx, question, question);
    const [rows, imported] = await atOnce([
      shown === null
        ? readEntries(tx, rankBy, entries.slice(0, limit))
        : readShortEntries(db, tx, rankBy, entries.slice(0, limit), shown),
      countImported(tx, askingOf(question), { scope, page: question, entries }),
    ]);
    return { ...board, ...imported, hasMore: entries.length > limit, rows };
  });
}
