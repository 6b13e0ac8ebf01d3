import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { toFilters } from '@inferboard/core/filters/parameters';
import type { Context } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import type { Export, ExportFormat } from '../exports/format.ts';
import { exportFormats } from '../exports/index.ts';
import { exportLeaderboard } from '../exports/leaderboard.ts';
import { exportMatrix } from '../exports/matrix.ts';
import { exportResults } from '../exports/results.ts';
import { Slots } from '../exports/slots.ts';
import { toStream } from '../exports/stream.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { readProblems, tooMany } from '../schemas/common.ts';
import { leaderboardQuery, toAskedBoard } from './leaderboard.ts';
import { matrixQuery, toMatrixQuestion } from './matrix.ts';
import { resultsQuery } from './results.ts';

const binary = { type: 'string', format: 'binary' } as const;

/** Boards that leave at once. Each may keep one of the four connections for long reads while its reader is slow. */
const boardsMax = 2;
const retryAfterS = 10;

/** A list that leaves as a file, and how it is asked for. */
interface List<Q extends z.ZodObject> {
  name: string;
  tag: string;
  /** Begins a sentence. */
  title: string;
  description: string;
  query: Q;
  /** @param written the query as it was written, which has prices by GPU */
  open(
    deps: Deps,
    query: z.output<Q>,
    asked: Record<string, string>,
    written: Record<string, string[]>,
  ): Export | Promise<Export>;
  /** Only so many leave at once. */
  slots?: Slots;
}

const listOf = <Q extends z.ZodObject>(list: List<Q>) => list;

const resultList = listOf({
  name: 'results',
  tag: 'Results',
  title: 'All results',
  description:
    'All results that meet the filters, newest first, as a stream. As JSONL and as CSV the file can be submitted again as it is, here or elsewhere.',
  query: resultsQuery,
  open: (deps, query, asked) => exportResults(deps, toFilters(query), asked),
});

const leaderboardList = (slots: Slots) =>
  listOf({
    name: 'leaderboard',
    tag: 'Leaderboard',
    title: 'The whole leaderboard',
    description:
      'Every entry of the board as of one moment, as a stream: ranks, statistics, facts and all metrics. It must be read within five minutes. What was left out is counted in Inferboard-Excluded.',
    query: leaderboardQuery,
    open: async (deps, query, asked, written) =>
      exportLeaderboard(deps, await toAskedBoard(deps, query, written), asked),
    slots,
  });

const matrixList = listOf({
  name: 'matrix',
  tag: 'Leaderboard',
  title: 'The matrix, one row a cell',
  description: 'Every cell that has a value, row by row. What was left out is counted in Inferboard-Excluded.',
  query: matrixQuery,
  open: (deps, query, asked) => exportMatrix(deps, toMatrixQuestion(query), asked),
});

const capitalised = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

const exportRoute = <Q extends z.ZodObject>({ name, tag, title, description, query }: List<Q>, format: ExportFormat) =>
  createRoute({
    method: 'get',
    path: `/v1/${name}.${format.extension}`,
    operationId: `export${capitalised(name)}${capitalised(format.extension)}`,
    tags: [tag],
    summary: `${title} as ${format.title}`,
    description,
    request: { query },
    responses: {
      200: {
        description: 'All of them.',
        headers: z.object({
          'Content-Disposition': z.string(),
          'Inferboard-Excluded': z.string().optional().openapi({ description: 'Points left out, by reason, as JSON.' }),
        }),
        content: { [format.mediaType]: { schema: format.isText ? z.string() : binary } },
      },
      ...readProblems,
      ...tooMany,
    },
  } satisfies RouteConfig);

/** Answers once the first part is there, so that what cannot be answered is a problem and no broken file. */
async function respond(deps: Deps, c: Context<AppContext>, list: Export, file: string, format: ExportFormat) {
  const parts = format.write(list);
  const first = await parts.next();
  const { excluded } = list.about();
  const fail = (error: unknown) => {
    const { message } = error instanceof Error ? error : { message: String(error) };
    deps.log('error', 'export broke off', {
      request_id: c.get('requestId'),
      trace_id: c.get('traceId'),
      path: c.req.path,
      error: message,
    });
  };
  return new Response(toStream(first, parts, fail), {
    headers: {
      'Content-Type': format.mediaType,
      'Content-Disposition': `attachment; filename="${file}"`,
      ...(excluded === undefined ? {} : { 'Inferboard-Excluded': excluded }),
    },
  });
}

/** Every list in every format. */
export function exportRoutes(deps: Deps) {
  const router = createRouter();
  const add = <Q extends z.ZodObject>(list: List<Q>) => {
    for (const format of exportFormats) {
      const route = exportRoute(list, format);
      const handler = async (c: Context<AppContext>) => {
        // The route's own validator left it there.
        const query = c.req.valid('query' as never) as z.output<Q>;
        await requireKnownValues(deps.database.db, c.req.queries());
        if (list.slots?.isFree === false) {
          const detail = `Too many exports at once: try again in ${retryAfterS} seconds.`;
          throw new DomainError('rate_limited', detail, [], retryAfterS);
        }
        const { pathname, search } = new URL(c.req.url);
        const asked = { query: `${deps.publicUrl}${pathname}${search}`, exported_at: new Date().toISOString() };
        const opened = await list.open(deps, query, asked, c.req.queries());
        const chunks = list.slots?.during(opened.chunks) ?? opened.chunks;
        return respond(deps, c, { ...opened, chunks }, `${list.name}.${format.extension}`, format);
      };
      router.openapi(
        route,
        handler,
        refuse(route, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
      );
    }
  };
  add(resultList);
  add(leaderboardList(new Slots(boardsMax)));
  add(matrixList);
  return router;
}
