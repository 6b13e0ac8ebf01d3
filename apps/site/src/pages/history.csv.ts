import type { APIRoute } from 'astro';
import { csvResponse } from '../lib/catalogue-index.ts';
import { historyCsv } from '../lib/history-csv.ts';
import { historyApiQuery, readHistoryQuery } from '../lib/history-query.ts';
import { speedMetric } from '../lib/ranked-metric.ts';

export const GET: APIRoute = async ({ locals, url }) => {
  const { system, metric, by, filters } = readHistoryQuery(url.searchParams);
  const question = { system: system ?? '', metric: metric ?? speedMetric, by: by ?? ('version' as const), filters };
  const { data, problem } = await locals.api.getHistory(historyApiQuery(question));
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(historyCsv(data), 'history');
};
