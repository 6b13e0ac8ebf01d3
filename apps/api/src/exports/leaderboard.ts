import type { BoardQuestion } from '@inferboard/db/queries/leaderboard-list';
import { streamLeaderboard } from '@inferboard/db/queries/leaderboard-stream';
import type { Deps } from '../deps.ts';
import { viewEntry } from '../views.ts';
import { type ColumnOf, factColumns, integer, json, metricColumns, number, text, toCells, unitOf } from './columns.ts';
import type { Export } from './format.ts';

/** An entry of a page, with what the page says of all its entries. */
type Entry = { rank_by: string; order: 'asc' | 'desc'; unit: string; definition: string | null } & ReturnType<
  typeof viewEntry
>;

const idsOf = (ids: readonly string[]) => [...new Set(ids)].join(' ');

/** Of all boards the same: what the value and its statistics are in stands in `unit`. */
const columnsIn = (unit: string): readonly ColumnOf<Entry>[] => [
  integer('rank', (entry) => entry.rank, '1'),
  integer('rank_low', (entry) => entry.rank_spread[0], '1'),
  integer('rank_high', (entry) => entry.rank_spread[1], '1'),
  text('rank_by', (entry) => entry.rank_by),
  number('value', (entry) => entry.value, unit),
  text('unit', (entry) => entry.unit),
  text('definition', (entry) => entry.definition),
  integer('n', ({ statistics }) => statistics.n, '1'),
  number('mean', ({ statistics }) => statistics.mean, unit),
  number('sd', ({ statistics }) => statistics.sd, unit),
  number('median', ({ statistics }) => statistics.median, unit),
  number('ci95_low', ({ statistics }) => statistics.ci95?.[0] ?? null, unit),
  number('ci95_high', ({ statistics }) => statistics.ci95?.[1] ?? null, unit),
  number('cv', ({ statistics }) => statistics.cv, '1'),
  number('min', ({ statistics }) => statistics.min, unit),
  number('max', ({ statistics }) => statistics.max, unit),
  text('stability', ({ statistics }) => statistics.stability),
  text('basis', ({ statistics }) => statistics.basis),
  json('outliers', ({ statistics: { outliers } }) => (outliers.length === 0 ? null : outliers)),
  number('assumed_low', ({ statistics }) => statistics.assumed?.interval[0] ?? null, unit),
  number('assumed_high', ({ statistics }) => statistics.assumed?.interval[1] ?? null, unit),
  number('assumed_cv', ({ statistics }) => statistics.assumed?.cv ?? null, '1'),
  integer('assumed_n_points', ({ statistics }) => statistics.assumed?.n_points ?? null, '1'),
  text('kind', (entry) => entry.kind),
  text('status', (entry) => entry.status),
  text('trust', (entry) => entry.trust),
  integer('findings', (entry) => entry.findings, '1'),
  integer('warnings', (entry) => entry.warnings, '1'),
  text('result_ids', ({ statistics }) => idsOf(statistics.runs.map((run) => run.result_id))),
  text('submission_ids', ({ statistics }) => idsOf(statistics.runs.map((run) => run.submission_id))),
  text('results_url', ({ links }) => links.results),
  ...factColumns,
  ...metricColumns,
];

/** Every entry of a board as of one moment, in the order of its ranks. */
export function exportLeaderboard(deps: Deps, question: BoardQuestion, asked: Record<string, string>): Export<Entry> {
  const { rankBy, order } = question;
  const { unit } = rankBy.family;
  const columns = columnsIn(unitOf(unit));
  const about = { ...asked, rank_by: rankBy.name, order };
  const told: Record<string, string> = {};
  async function* view(): AsyncGenerator<Entry[]> {
    for await (const { rows, excluded, definitionGroup } of streamLeaderboard(deps.database.db, question)) {
      told.excluded = JSON.stringify(excluded);
      if (definitionGroup !== null) told.definition = definitionGroup;
      const shared = { rank_by: rankBy.name, order, unit, definition: definitionGroup };
      yield rows.map((row) => ({ ...shared, ...viewEntry(row, rankBy.name, deps.publicUrl) }));
    }
  }
  return { columns, toCells: toCells(columns), chunks: view(), about: () => ({ ...about, ...told }) };
}
