import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { isEnded, runStates } from '@inferboard/core/plans/run-state';
import { cancelRun } from '@inferboard/db/queries/run-cancel';
import { findRun, listRunPoints, listRuns, type RunRow } from '@inferboard/db/queries/run-find';
import type { Context } from 'hono';
import { answerOnce, requestNameOf } from '../actions/answer-once.ts';
import { createRun, fingerprintOfBody, openRunsMax } from '../actions/create-run.ts';
import { readAskedRun, requireObject } from '../actions/read-asked-run.ts';
import { auditOf } from '../audit.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { AppContext, Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { reachOf, requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { readJsonValue } from '../read-json.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { type Reader, viewRun, viewRunSummary } from '../run-views.ts';
import {
  conflict,
  limitDefault,
  missing,
  notJson,
  pageOf,
  pageShape,
  readProblems,
  refusal,
  tooLarge,
  writeProblems,
} from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import { RunSchema, RunSummarySchema, runBodyDocument, runExamples } from '../schemas/run.ts';
import { json } from './submissions.ts';

export const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the run.', example: 'run_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});
const query = z.strictObject({});
const tags = ['Managed runs'];
const security = [{ key: ['run'] }];

const createRunRoute = createRoute({
  method: 'post',
  path: '/v1/runs',
  operationId: 'createRun',
  tags,
  summary: 'Have an endpoint measured',
  description:
    'Waits for its turn: an endpoint is measured by one run at a time. What the plan asks for beyond the limits, its own and those of the ' +
    'endpoint, is left out and named in `omitted`. Its results are stored as a submission and are public. ' +
    `An account has at most ${openRunsMax} runs that are not over.`,
  security,
  request: {
    query,
    headers: z.object({
      'idempotency-key': z.string().optional().openapi({
        description:
          'A name for this request, such as a UUID. Sent again within two days it gets the first answer, with `Idempotency-Replayed: true`.',
      }),
    }),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: runBodyDocument,
          examples: { named: { value: runExamples.named }, listed: { value: runExamples.listed } },
        },
      },
    },
  },
  responses: {
    201: { ...json('It waits for a worker.', RunSchema), headers: sends('Location', 'Idempotency-Replayed') },
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict(
      'Nothing of the plan may be measured now, or the account has as many open runs as it may.',
      refusal('plan_empty', 'No point of the plan may be measured now. 36 points need more than 4 requests at a time.'),
      refusal('runs_too_many', `The account has ${openRunsMax} runs that are not over: wait for one, or cancel one.`),
      refusal('request_running', 'The first request of this Idempotency-Key is still running: try again.'),
    ),
  },
});

const listRunsRoute = createRoute({
  method: 'get',
  path: '/v1/runs',
  operationId: 'listRuns',
  tags,
  summary: 'The runs of the account, newest first',
  description: 'Without their points, which the address of each has.',
  security,
  request: {
    query: z.strictObject({
      ...pageShape,
      state: z
        .enum(runStates, { error: `must be one of ${runStates.join(', ')}` })
        .optional()
        .openapi({ description: 'Only runs that stand so.', example: 'processed' }),
      endpoint_id: z
        .string()
        .regex(/^ep_[0-9a-f]{32}$/, 'must be the id of an endpoint')
        .optional()
        .openapi({ description: 'Only runs of this endpoint.', example: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
    }),
  },
  responses: { 200: json('A page.', pageOf(RunSummarySchema)), ...writeProblems },
});

const getRun = createRoute({
  method: 'get',
  path: '/v1/runs/{id}',
  operationId: 'getRun',
  tags,
  summary: 'One run with its points',
  description:
    'For everybody who has its address, as its results are. What its endpoint is called and where it is, is not told.',
  request: { params: idParam, query },
  responses: { 200: json('The run.', RunSchema), ...readProblems, ...missing },
});

const cancelRunRoute = createRoute({
  method: 'post',
  path: '/v1/runs/{id}/cancel',
  operationId: 'cancelRun',
  tags,
  summary: 'Cancel a run',
  description:
    "Of the own account; for admins anybody's. One that waits is over at once, any other within two seconds. What was measured until then is stored.",
  security,
  request: { params: idParam, query },
  responses: {
    202: json('Asked for; the run as it is now.', RunSchema),
    200: json('It was over already.', RunSchema),
    ...writeProblems,
    ...missing,
  },
});

export const runNotFound = () => new DomainError('not_found', 'There is no run of this id.');

/** A list of a thousand workloads. */
const bodyBytesMax = 1024 * 1024;

/** The id of the last run of the page before. */
const CursorSchema = z.string().max(100);

export function runRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/runs', requireKeyToPost, limitBody(bodyBytesMax));
  const find = async (id: string): Promise<RunRow> => {
    const row = isId('run', id) ? await findRun(db, id) : null;
    if (row === null) throw runNotFound();
    return row;
  };
  const view = async (row: RunRow, reader: Reader) =>
    viewRun(row, await listRunPoints(db, row.id), deps.publicUrl, reader);
  const create = async (c: Context<AppContext>) => {
    const { accountId, keyId } = requireScope(c, 'run');
    const name = requestNameOf(c.req.header('idempotency-key'));
    const body = requireObject(await readJsonValue(c));
    const reach = reachOf(c, 'run');
    const request = name === null ? null : { keyId, route: 'createRun', name };
    const work = async () => createRun(deps, accountId, await readAskedRun(db, reach, body), request);
    return request === null
      ? { ...(await work()), replayed: false }
      : answerOnce(deps, request, fingerprintOfBody(body), work);
  };
  return router
    .openapi(
      createRunRoute,
      async (c) => {
        const { status, location, body, replayed } = await create(c);
        const headers = {
          ...(location && { Location: location }),
          ...(replayed && { 'Idempotency-Replayed': 'true' }),
        };
        return c.body(body, status, { 'Content-Type': 'application/json', ...headers }) as never;
      },
      refuse(createRunRoute),
    )
    .openapi(
      listRunsRoute,
      async (c) => {
        const { accountId } = requireScope(c, 'run');
        const { limit = limitDefault, state = null, endpoint_id: endpointId = null } = c.req.valid('query');
        const after = decodeCursor(c.req.url, CursorSchema);
        const rows = await listRuns(db, { accountId, state, endpointId, limit: limit + 1, after });
        const page = rows.slice(0, limit);
        const last = rows.length > limit ? page.at(-1) : undefined;
        return c.json(
          {
            data: page.map((row) => viewRunSummary(row, deps.publicUrl)),
            next_cursor: last === undefined ? null : encodeCursor(c.req.url, last.id),
          },
          200,
        );
      },
      refuse(listRunsRoute, async (c) => cursorFaults(c.req.url, CursorSchema)),
    )
    .openapi(
      getRun,
      async (c) => c.json(await view(await find(c.req.valid('param').id), 'everybody'), 200),
      refuse(getRun),
    )
    .openapi(
      cancelRunRoute,
      async (c) => {
        const reach = reachOf(c, 'run');
        const row = await find(c.req.valid('param').id);
        if (reach !== null && row.accountId !== reach) throw runNotFound();
        const audit = auditOf(c, 'run_canceled');
        const before = await cancelRun(db, row.id, (tx) => audit(tx, row.id));
        if (before === null) throw runNotFound();
        return c.json(await view(await find(row.id), 'account'), isEnded(before) ? 200 : 202);
      },
      refuse(cancelRunRoute),
    );
}
