import type { APIRoute } from 'astro';
import { speedMetric } from '../features/board/data/ranked-metric.ts';
import { csvResponse } from '../features/catalogue/data/catalogue-index.ts';
import { historyCsv } from '../features/history/data/history-csv.ts';
import { historyApiQuery, readHistoryQuery } from '../features/history/data/history-query.ts';

export const GET: APIRoute = async ({ locals, url }) => {
  const { system, metric, by, filters } = readHistoryQuery(url.searchParams);
  const question = { system: system ?? '', metric: metric ?? speedMetric, by: by ?? ('version' as const), filters };
  const { data, problem } = await locals.api.getHistory(historyApiQuery(question));
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(historyCsv(data), 'history');
};
