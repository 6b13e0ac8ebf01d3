import type { APIContext } from 'astro';
import type { ChartFile } from '../../../charts/files/line-chart.ts';
import type { LineChart } from '../../../charts/line-chart.ts';
import { fetchReport, otherChartId, readReportQuery, reportHref, toReportPage } from './report-page.ts';

/**
 * Response with a file of one chart of the report at a URL: `/systems/{id}/{chart}.svg`, with the parameters of the report. An
 * error message if there is no such chart.
 */
export async function answerReportChart(
  { locals, params, url }: APIContext,
  make: (chart: LineChart, file: ChartFile) => Response,
): Promise<Response> {
  const { id = '', chart: name = '' } = params;
  const { limit } = readReportQuery(url);
  const { system, report, problem, fault, results } = await fetchReport(locals.api, id, limit);
  const refused = problem ?? fault;
  if (refused !== null) return new Response(refused.detail, { status: refused.status });
  if (system === null || report === null) return new Response('There is no such system.', { status: 404 });
  const page = toReportPage(system, report, results, null);
  const charts = new Map([
    ...page.sections.flatMap(({ blocks }) => blocks.map(({ id: block, chart }) => [block, chart] as const)),
    ...page.others.flatMap(({ mode, charts: all }) =>
      all.map((chart, index) => [otherChartId(mode, index), chart] as const),
    ),
  ]);
  const chart = charts.get(name);
  if (chart === undefined) return new Response(`The report has no chart "${name}".`, { status: 404 });
  const path = reportHref(`/systems/${encodeURIComponent(id)}`, { limit, statistics: null });
  const day = new Date().toISOString().slice(0, 10);
  return make(chart, { subject: system.label, page: `${locals.origin}${path}#${name}`, day });
}
