import type { APIRoute } from 'astro';
import { answerChart } from '../explorer/answer.ts';
import { explorerCsv, readSpreads } from '../explorer/csv.ts';
import { csvResponse } from '../features/catalogue/data/catalogue-index.ts';

export const GET: APIRoute = (context) =>
  answerChart(
    context,
    async (view, drawing) => {
      const spreadOf = await readSpreads(context.locals.api, drawing);
      return csvResponse(explorerCsv(view, drawing, spreadOf, context.locals.origin), 'chart');
    },
    { withSources: true },
  );
