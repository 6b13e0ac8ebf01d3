import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { toFilters } from '@inferboard/core/filters/parameters';
import type { Context } from 'hono';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import { leaderboardQuery, toAskedBoard } from '../boards/leaderboard-routes.ts';
import { matrixQuery, toMatrixQuestion } from '../boards/matrix-routes.ts';
import type { AppContext, Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { matchesIfNoneMatch } from '../response-cache/conditional-requests.ts';
import { readProblems, tooMany } from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import { resultsQuery } from '../submissions/actions/results-routes.ts';
import type { Export, ExportFormat } from './format.ts';
import { exportFormats } from './index.ts';
import { exportLeaderboard } from './leaderboard.ts';
import { exportMatrix } from './matrix.ts';
import { exportResults } from './results.ts';
import { Slots } from './slots.ts';
import { toStream } from './stream.ts';
import { exportTag } from './tag.ts';

const binary = { type: 'string', format: 'binary' } as const;

/**
 * Maximum number of concurrent board exports. Each may hold one of the four connections for long reads while its client is slow.
 */
const boardsMax = 2;
const retryAfterS = 10;

/** A list that can be exported, and its parameters. */
interface List<Q extends z.ZodObject> {
  name: string;
  tag: string;
  /** The start of a sentence. */
  title: string;
  description: string;
  query: Q;
  /** @param written the raw query, which has prices by GPU */
  open(
    deps: Deps,
    query: z.output<Q>,
    asked: Record<string, string>,
    written: Record<string, string[]>,
  ): Export | Promise<Export>;
  /** Limits concurrent exports of this list. */
  slots?: Slots;
}

const listOf = <Q extends z.ZodObject>(list: List<Q>) => list;

const resultList = listOf({
  name: 'results',
  tag: 'Results',
  title: 'Export all results',
  description:
    'All results that meet the filters, newest first, as a stream. The JSONL and CSV files can be submitted unchanged, here or elsewhere.',
  query: resultsQuery,
  open: (deps, query, asked) => exportResults(deps, toFilters(query), asked),
});

const leaderboardList = (slots: Slots) =>
  listOf({
    name: 'leaderboard',
    tag: 'Leaderboard',
    title: 'Export the leaderboard',
    description:
      'Every entry of the board at one moment, as a stream: ranks, statistics, facts and all metrics. Read it within five minutes. Inferboard-Excluded counts the omitted points.',
    query: leaderboardQuery,
    open: async (deps, query, asked, written) =>
      exportLeaderboard(deps, await toAskedBoard(deps, query, written), asked),
    slots,
  });

const matrixList = listOf({
  name: 'matrix',
  tag: 'Leaderboard',
  title: 'Export the matrix',
  description: 'Each cell that has a value, one row per cell. Inferboard-Excluded counts the omitted points.',
  query: matrixQuery,
  open: (deps, query, asked) => exportMatrix(deps, toMatrixQuestion(query), asked),
});

const ifNoneMatch = z.object({
  'if-none-match': z.string().optional().openapi({
    description: 'ETag of a previous response. If the data have not changed, the response is 304.',
    example: 'W/"2f9a6c0d7be1f6a3c5d8e4b7091a2b3c"',
  }),
});

const capitalised = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

const exportRoute = <Q extends z.ZodObject>({ name, tag, title, description, query }: List<Q>, format: ExportFormat) =>
  createRoute({
    method: 'get',
    path: `/v1/${name}.${format.extension}`,
    operationId: `export${capitalised(name)}${capitalised(format.extension)}`,
    tags: [tag],
    summary: `${title} as ${format.title}`,
    description: `${description} The ETag changes with the data.`,
    request: { query, headers: ifNoneMatch },
    responses: {
      200: {
        description: 'The list.',
        headers: z.object({
          ETag: z.string(),
          'Content-Disposition': z.string(),
          'Inferboard-Excluded': z.string().optional().openapi({ description: 'Omitted points by reason, as JSON.' }),
        }),
        content: { [format.mediaType]: { schema: format.isText ? z.string() : binary } },
      },
      304: { description: 'Not modified.', headers: sends('ETag') },
      ...readProblems,
      ...tooMany,
    },
  } satisfies RouteConfig);

/** Responds once the first part is ready, so that an error returns a problem document and not a broken file. */
async function respond(
  deps: Deps,
  c: Context<AppContext>,
  list: Export,
  { name, format, tag }: { name: string; format: ExportFormat; tag: string },
) {
  const parts = format.write(list);
  const first = await parts.next();
  const { excluded } = list.about();
  const fail = (error: unknown) => {
    const { message } = error instanceof Error ? error : { message: String(error) };
    deps.log('error', 'export aborted', {
      request_id: c.get('requestId'),
      trace_id: c.get('traceId'),
      path: c.req.path,
      error: message,
    });
  };
  return new Response(toStream(first, parts, fail), {
    headers: {
      'Content-Type': format.mediaType,
      'Content-Disposition': `attachment; filename="${name}"`,
      ETag: tag,
      ...(excluded === undefined ? {} : { 'Inferboard-Excluded': excluded }),
    },
  });
}

/** Export routes for every list in every format. */
export function exportRoutes(deps: Deps) {
  const router = createRouter();
  const add = <Q extends z.ZodObject>(list: List<Q>) => {
    for (const format of exportFormats) {
      const route = exportRoute(list, format);
      const handler = async (c: Context<AppContext>) => {
        // The route's own validator stored it.
        const query = c.req.valid('query' as never) as z.output<Q>;
        await requireKnownValues(deps.database.db, c.req.queries());
        const isFree = list.slots?.isFree !== false;
        const tag = await exportTag(deps, c.req.url);
        if (matchesIfNoneMatch(c.req.header('if-none-match'), tag.replace('W/', '')))
          return c.body(null, 304, { ETag: tag, Vary: 'Accept-Encoding' });
        if (!isFree) {
          const detail = `Too many exports at once. Try again in ${retryAfterS} seconds.`;
          throw new DomainError('rate_limited', detail, [], retryAfterS);
        }
        const { pathname, search } = new URL(c.req.url);
        const asked = { query: `${deps.publicUrl}${pathname}${search}`, exported_at: new Date().toISOString() };
        const opened = await list.open(deps, query, asked, c.req.queries());
        const chunks = list.slots?.during(opened.chunks) ?? opened.chunks;
        const file = { name: `${list.name}.${format.extension}`, format, tag };
        return respond(deps, c, { ...opened, chunks }, file);
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
