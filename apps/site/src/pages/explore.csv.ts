import type { APIRoute } from 'astro';
import { answerChart } from '../explorer/answer.ts';
import { explorerCsv } from '../explorer/csv.ts';
import { csvResponse } from '../lib/catalogue-index.ts';

export const GET: APIRoute = (context) =>
  answerChart(context, (view, drawing) => csvResponse(explorerCsv(view, drawing, context.locals.origin), 'chart'));
