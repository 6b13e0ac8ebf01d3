import type { APIRoute } from 'astro';
import { scenarioKind } from '../features/catalogue/data/catalogue-facts.ts';
import { csvResponse, indexCsv } from '../features/catalogue/data/catalogue-index.ts';

export const GET: APIRoute = async ({ locals }) => {
  const { data, problem } = await locals.api.listCatalogue(scenarioKind.folder);
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(indexCsv(scenarioKind, data.data), scenarioKind.folder);
};
