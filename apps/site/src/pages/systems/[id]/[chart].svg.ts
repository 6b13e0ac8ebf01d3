import type { APIRoute } from 'astro';
import { lineChartSvg } from '../../../charts/files/line-chart.ts';
import { answerReportChart } from '../../../features/report/data/report-files.ts';

export const GET: APIRoute = (context) =>
  answerReportChart(
    context,
    (chart, file) =>
      new Response(lineChartSvg(chart, file), {
        headers: {
          'content-type': 'image/svg+xml',
          'content-disposition': 'inline; filename="chart.svg"',
          'x-content-type-options': 'nosniff',
        },
      }),
  );
