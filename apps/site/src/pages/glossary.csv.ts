import type { APIRoute } from 'astro';
import { csvResponse } from '../features/catalogue/data/catalogue-index.ts';
import { glossaryCsv } from '../features/catalogue/data/glossary-view.ts';

export const GET: APIRoute = async ({ locals }) => {
  const { data, problem } = await locals.api.listCatalogue('metrics');
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(glossaryCsv(data.data), 'glossary');
};
