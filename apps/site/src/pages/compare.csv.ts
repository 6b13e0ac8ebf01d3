import type { APIRoute } from 'astro';
import { csvResponse } from '../features/catalogue/data/catalogue-index.ts';
import { compareCsv } from '../features/compare/data/compare-csv.ts';
import { compareApiQuery, readCompareQuery } from '../features/compare/data/compare-query.ts';

export const GET: APIRoute = async ({ locals, url }) => {
  const query = readCompareQuery(url.searchParams);
  const { data, problem } = await locals.api.compareSystems(compareApiQuery(query));
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(compareCsv(data), 'comparison');
};
