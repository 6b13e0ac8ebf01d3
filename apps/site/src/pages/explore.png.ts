import type { APIRoute } from 'astro';
import { answerChart } from '../explorer/answer.ts';
import { pictureResponse } from '../og/card.ts';
import { drawChart } from '../og/chart.ts';
import { sourceOf } from '../og/source.ts';

/** The chart of an address of the explorer as PNG; link previews of the explorer show it. */
export const GET: APIRoute = (context) =>
  answerChart(context, (view, drawing) =>
    pictureResponse(drawChart(view.title, drawing, sourceOf(context.locals.origin))),
  );
