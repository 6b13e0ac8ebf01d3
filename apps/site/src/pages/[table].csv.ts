import type { APIContext, APIRoute } from 'astro';
import { answerChart } from '../explorer/files/answer.ts';
import { explorerCsv, readSpreads } from '../explorer/files/csv.ts';
import { speedMetric } from '../features/board/data/ranked-metric.ts';
import {
  gpuKind,
  type Kind,
  modelKind,
  quantizationKind,
  scenarioKind,
} from '../features/catalogue/data/catalogue-facts.ts';
import { indexCsv } from '../features/catalogue/data/catalogue-index.ts';
import { compareCsv } from '../features/compare/data/compare-csv.ts';
import { compareApiQuery, readCompareQuery } from '../features/compare/data/compare-query.ts';
import { glossaryCsv } from '../features/glossary/data/glossary-view.ts';
import { rulesCsv } from '../features/glossary/data/methodology-view.ts';
import { historyCsv } from '../features/history/data/history-csv.ts';
import { historyApiQuery, readHistoryQuery } from '../features/history/data/history-query.ts';
import { trendCsv } from '../features/history/data/trend-csv.ts';
import type { Answer } from '../lib/api.ts';
import { csvResponse } from '../lib/csv.ts';
import { toQuery } from '../lib/parameters.ts';

type WriteTable = (context: APIContext) => Response | Promise<Response>;

/** The API's data as a file `name`.csv, or the API's error. */
async function fileOf<T>(asked: Promise<Answer<T>>, name: string, toText: (data: T) => string): Promise<Response> {
  const { data, problem } = await asked;
  if (problem !== null) return new Response(problem.detail, { status: problem.status });
  return csvResponse(toText(data), name);
}

const index =
  (kind: Kind): WriteTable =>
  ({ locals }) =>
    fileOf(locals.api.listCatalogue(kind.folder), kind.folder, ({ data }) => indexCsv(kind, data));

/** The tables of pages, by page. */
const tables = new Map<string | undefined, WriteTable>([
  ['models', index(modelKind)],
  ['gpus', index(gpuKind)],
  ['quantizations', index(quantizationKind)],
  ['scenarios', index(scenarioKind)],
  [
    'glossary',
    ({ locals }) => fileOf(locals.api.listCatalogue('metrics'), 'glossary', ({ data }) => glossaryCsv(data)),
  ],
  ['methodology', () => csvResponse(rulesCsv(), 'rules')],
  [
    'compare',
    ({ locals, url }) => {
      const query = compareApiQuery(readCompareQuery(url.searchParams));
      return fileOf(locals.api.compareSystems(query), 'comparison', compareCsv);
    },
  ],
  [
    'history',
    ({ locals, url }) => {
      const { system, metric, by, filters } = readHistoryQuery(url.searchParams);
      const question = { system: system ?? '', metric: metric ?? speedMetric, by: by ?? ('version' as const), filters };
      return fileOf(locals.api.getHistory(historyApiQuery(question)), 'history', historyCsv);
    },
  ],
  ['trends', ({ locals, url }) => fileOf(locals.api.getTrend(toQuery([...url.searchParams])), 'trend', trendCsv)],
  [
    'explore',
    (context) =>
      answerChart(context, async (view, drawing) => {
        const spreadOf = await readSpreads(context.locals.api, drawing);
        return csvResponse(explorerCsv(view, drawing, spreadOf, context.locals.origin), 'chart');
      }),
  ],
]);

/** The table of a page as CSV. */
export const GET: APIRoute = (context) =>
  tables.get(context.params.table)?.(context) ?? new Response('There is no such table.', { status: 404 });
