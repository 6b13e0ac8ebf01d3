import type { APIRoute } from 'astro';
import { modelKind } from '../features/catalogue/data/catalogue-facts.ts';
import { csvResponse, indexCsv } from '../features/catalogue/data/catalogue-index.ts';

export const GET: APIRoute = async ({ locals }) => {
  const { data, problem } = await locals.api.listCatalogue(modelKind.folder);
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(indexCsv(modelKind, data.data), modelKind.folder);
};
