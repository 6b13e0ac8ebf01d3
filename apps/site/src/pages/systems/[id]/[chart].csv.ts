import type { APIRoute } from 'astro';
import { lineChartCsv } from '../../../charts/files/line-chart.ts';
import { answerReportChart } from '../../../features/report/data/report-files.ts';
import { csvResponse } from '../../../lib/csv.ts';

export const GET: APIRoute = (context) =>
  answerReportChart(context, (chart, file) => csvResponse(lineChartCsv(chart, file), 'chart'));
