import type { APIRoute } from 'astro';
import { answerReportChart } from '../../../features/report/data/report-files.ts';
import { pictureResponse } from '../../../og/card.ts';
import { drawLineChart } from '../../../og/line-chart.ts';
import { sourceOf } from '../../../og/source.ts';

export const GET: APIRoute = (context) =>
  answerReportChart(context, (chart, { subject }) =>
    pictureResponse(drawLineChart(chart, subject, sourceOf(context.locals.origin))),
  );
