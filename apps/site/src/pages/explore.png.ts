import type { APIRoute } from 'astro';
import { answerChart } from '../explorer/files/answer.ts';
import { pictureResponse } from '../og/card.ts';
import { drawChart } from '../og/chart.ts';
import { sourceOf } from '../og/source.ts';

/** The chart of an explorer URL as PNG, used by link previews of the explorer. */
export const GET: APIRoute = (context) =>
  answerChart(context, (view, drawing) =>
    pictureResponse(drawChart(view.title, drawing, sourceOf(context.locals.origin))),
  );
