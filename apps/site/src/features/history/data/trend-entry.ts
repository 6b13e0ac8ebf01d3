import type { Api } from '../../../lib/api.ts';
import { toPath } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import type { HistoryQuery } from './history-query.ts';
import type { HistoryReading } from './history-read.ts';
import { readTrend, trendMetric } from './trend-read.ts';
import { subjectName, type TrendView, toTrendView, withWorkload } from './trend-view.ts';

/**
 * The trend of a model by GPU, or of a GPU by model. Null if no series has three days.
 *
 * @param workload the selected workload; by default the one with the longest series
 */
export async function readEntryTrend(
  api: Api,
  fact: 'model' | 'gpu',
  { id, name }: { id: string; name: string },
  workload: string | null,
): Promise<TrendView | null> {
  const filters: Parameter[] = [[fact, id]];
  const by = fact === 'model' ? 'gpu' : 'model';
  const reading = await readTrend(api, {
    by,
    metrics: [trendMetric],
    filters: workload === null ? filters : withWorkload(filters, workload),
  });
  const hrefFor = (other: string) => toPath('/history', withWorkload(filters, other));
  return reading && toTrendView(reading, name, hrefFor);
}

/** What a trend with these filters is of: GPUs of one model, or models on one GPU. Null if they name neither, or several. */
function lineOf(filters: readonly Parameter[]): 'gpu' | 'model' | null {
  const count = (fact: string) => filters.filter(([name]) => name === fact).length;
  if (count('model') === 1) return 'gpu';
  return count('gpu') === 1 ? 'model' : null;
}

/** The model with the most measured points; null without models. */
async function mostMeasured(api: Api): Promise<string | null> {
  const { data } = await api.listCatalogue('models');
  const [most] = data?.data.toSorted((a, b) => (b.points ?? 0) - (a.points ?? 0)) ?? [];
  return most?.id ?? null;
}

/**
 * The trend below a history. Without filters it is that of the model whose change opens the page, else of the model with the
 * most points.
 */
export async function readHistoryTrend(
  api: Api,
  { metric, filters: given, system }: Pick<HistoryQuery, 'metric' | 'filters' | 'system'>,
  opening: HistoryReading['opening'],
): Promise<TrendView | null> {
  if (system !== null) return null;
  const asked: Parameter[] = metric === null ? [] : [['metric', metric]];
  const readOf = async (filters: readonly Parameter[]): Promise<TrendView | null> => {
    const by = lineOf(filters);
    const reading = by && (await readTrend(api, { by, metrics: [metric ?? trendMetric], filters }));
    const hrefFor = (other: string) => toPath('/history', [...asked, ...withWorkload(filters, other)]);
    return reading && toTrendView(reading, subjectName(reading), hrefFor);
  };
  const readOfModel = (id: string | null | undefined) => (id == null ? null : readOf([['model', id]]));
  if (given.length > 0) return readOf(given);
  const changed = opening?.history.system.model;
  return (await readOfModel(changed?.id ?? changed?.name)) ?? (await readOfModel(await mostMeasured(api)));
}
