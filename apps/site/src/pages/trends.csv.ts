import type { APIRoute } from 'astro';
import { csvResponse } from '../features/catalogue/data/catalogue-index.ts';
import { trendCsv } from '../features/history/data/trend-csv.ts';
import { toQuery } from '../lib/parameters.ts';

export const GET: APIRoute = async ({ locals, url }) => {
  const { data, problem } = await locals.api.getTrend(toQuery([...url.searchParams]));
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(trendCsv(data), 'trend');
};
