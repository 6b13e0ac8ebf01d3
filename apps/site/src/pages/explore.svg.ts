import type { APIRoute } from 'astro';
import { answerChart } from '../explorer/files/answer.ts';
import { explorerSvg } from '../explorer/files/svg.ts';

export const GET: APIRoute = (context) =>
  answerChart(context, (view, drawing) => {
    const day = new Date().toISOString().slice(0, 10);
    return new Response(explorerSvg(view, drawing, { page: context.locals.origin + view.href, day }), {
      headers: {
        'content-type': 'image/svg+xml',
        'content-disposition': 'inline; filename="chart.svg"',
        'x-content-type-options': 'nosniff',
      },
    });
  });
