import { streamLeaderboard } from '@inferboard/db/boards/lists/leaderboard-stream';
import type { AskedBoard } from '../boards/leaderboard-routes.ts';
import { betterOrder, resolveRank, turned } from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { costName, costUnit, viewCost, type viewPrice } from '../prices/requested-prices.ts';
import { viewEntry } from '../views.ts';
import { type ColumnOf, factColumns, integer, json, metricColumns, number, text, toCells, unitOf } from './columns.ts';
import type { Export } from './format.ts';

/** An entry of a page, with the page's common properties. */
type Entry = { rank_by: string; order: 'asc' | 'desc'; unit: string; definition: string | null } & ReturnType<
  typeof viewEntry
>;

const idsOf = (ids: readonly string[]) => [...new Set(ids)].join(' ');

type PricedEntry = Entry & { price?: ReturnType<typeof viewPrice> };

/** Columns of a board by cost: the statistics are those of tokens per GPU, and the price converts the value to cost. */
const priceColumns = (unit: string): readonly ColumnOf<PricedEntry>[] => [
  text('statistics_unit', () => unit),
  text('price_gpu', ({ price }) => price?.gpu ?? null),
  number('price_usd_per_gpu_hour', ({ price }) => price?.usd_per_hour ?? null, 'USD'),
  text('price_tier', ({ price }) => price?.tier ?? null),
  text('price_as_of', ({ price }) => price?.as_of ?? null),
  text('price_source', ({ price }) => price?.source ?? null),
];

/** The same columns for every board. `unit` names the unit of the value. */
const columnsIn = (valueUnit: string, unit: string): readonly ColumnOf<Entry>[] => [
  integer('rank', (entry) => entry.rank, '1'),
  integer('rank_low', (entry) => entry.rank_spread?.[0] ?? null, '1'),
  integer('rank_high', (entry) => entry.rank_spread?.[1] ?? null, '1'),
  text('rank_by', (entry) => entry.rank_by),
  number('value', (entry) => entry.value, valueUnit),
  text('unit', (entry) => entry.unit),
  text('definition', (entry) => entry.definition),
  text('disputed', (entry) => String(entry.disputed)),
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

/** Every entry of a board from one snapshot, in order of rank. */
export async function exportLeaderboard(
  deps: Deps,
  asked: AskedBoard,
  about: Record<string, string>,
): Promise<Export<PricedEntry>> {
  const { db } = deps.database.reads;
  const { rankBy, filters } = await resolveRank(db, { ...asked, dimensions: ['system'] });
  const order = asked.order ?? betterOrder(rankBy);
  const { pricing } = asked;
  const unit = pricing === null ? rankBy.family.unit : costUnit;
  const ranked = pricing === null ? { rank_by: rankBy.name, order } : { rank_by: costName, order: turned(order) };
  const rateUnit = unitOf(rankBy.family.unit);
  const columns: readonly ColumnOf<PricedEntry>[] = [
    ...columnsIn(unitOf(unit), rateUnit),
    ...(pricing === null ? [] : priceColumns(rateUnit)),
  ];
  const metadata: Record<string, string> = { ...about, ...ranked };
  async function* view(): AsyncGenerator<PricedEntry[]> {
    const question = { rankBy, order, filters, definition: asked.definition };
    for await (const { rows, excluded, definition, workload } of streamLeaderboard(db, question)) {
      metadata.excluded = JSON.stringify(excluded);
      if (definition !== null) metadata.definition = definition.id;
      if (workload !== null) metadata.workload = workload.id;
      const shared = { ...ranked, unit, definition: definition?.id ?? null };
      yield rows.map((row) => ({
        ...shared,
        ...viewEntry(row, rankBy.name, deps.publicUrl),
        ...(pricing !== null && viewCost(pricing, row)),
      }));
    }
  }
  return { columns, toCells: toCells(columns), chunks: view(), about: () => metadata };
}
