import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { isEnded, publishChoices, runStates } from '@inferboard/core/plans/run-state';
import { cancelRun } from '@inferboard/db/runs/run-cancel';
import { findRun, listRunPoints, listRuns, type RunRow } from '@inferboard/db/runs/run-find';
import type { Context } from 'hono';
import { auditOf } from '../audit.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { AppContext, Deps } from '../deps.ts';
import { cursorFaults, decodeCursor, readPage } from '../http/cursor.ts';
import { isId } from '../http/is-id.ts';
import { readJsonBody, readJsonValue } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { reachOf, requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import {
  conflict,
  json,
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
import { answerOnce, requestNameOf } from '../submissions/actions/answer-once.ts';
import { createRun, fingerprintOfBody, openRunsMax } from './create-run.ts';
import { runBodyDocument, runExamples } from './plan-document.ts';
import { readRunRequest, requireObject } from './read-run-request.ts';
import { RunSchema, RunSummarySchema } from './run-schema.ts';
import { type Reader, viewRun, viewRunSummary } from './run-views.ts';

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
  summary: 'Start a managed run',
  description:
    'The run is queued: each endpoint is measured by one run at a time. Points of the plan that exceed the limits of the run or of the ' +
    'endpoint are skipped and listed in `omitted`. The results are stored as a submission and are public. ' +
    `An account can have at most ${openRunsMax} unfinished runs.`,
  security,
  request: {
    query,
    headers: z.object({
      'idempotency-key': z.string().optional().openapi({
        description:
          'A unique key for this request, such as a UUID. A repetition within two days gets the first response, with `Idempotency-Replayed: true`.',
      }),
    }),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: runBodyDocument,
          examples: {
            named: { value: runExamples.named },
            listed: { value: runExamples.listed },
            capacity: { value: runExamples.capacity },
          },
        },
      },
    },
  },
  responses: {
    201: { ...json('Queued.', RunSchema), headers: sends('Location', 'Idempotency-Replayed') },
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict(
      'No point of the plan can be measured now, or the account has the maximum number of unfinished runs.',
      refusal('plan_empty', 'No point of the plan can be measured now. 36 points need more than 4 requests at a time.'),
      refusal('runs_too_many', `The account has ${openRunsMax} unfinished runs. Wait for one, or cancel one.`),
      refusal('request_running', 'The first request with this Idempotency-Key is still running. Try again.'),
    ),
  },
});

const listRunsRoute = createRoute({
  method: 'get',
  path: '/v1/runs',
  operationId: 'listRuns',
  tags,
  summary: 'List the runs of the account',
  description: 'Newest first, without points; `GET /v1/runs/{id}` has them.',
  security,
  request: {
    query: z.strictObject({
      ...pageShape,
      state: z
        .enum(runStates, { error: `must be one of ${runStates.join(', ')}` })
        .optional()
        .openapi({ description: 'Only runs in this state.', example: 'processed' }),
      endpoint_id: z
        .string()
        .regex(/^ep_[0-9a-f]{32}$/, 'must be the id of an endpoint')
        .optional()
        .openapi({ description: 'Only runs of this endpoint.', example: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
      ...fieldsShape(RunSummarySchema, 'id,state,progress.points_done'),
    }),
  },
  responses: { 200: json('A page.', pageOf(RunSummarySchema)), ...writeProblems },
});

const getRun = createRoute({
  method: 'get',
  path: '/v1/runs/{id}',
  operationId: 'getRun',
  tags,
  summary: 'Get a run with its points',
  description:
    'Public for clients that know its id, like its results. The name and URL of its endpoint are not included.',
  request: { params: idParam, query },
  responses: { 200: json('The run.', RunSchema), ...readProblems, ...missing },
});

const CancelBodySchema = z.strictObject({
  publish: z
    .enum(publishChoices, { error: `must be one of ${publishChoices.join(', ')}` })
    .default('measured')
    .describe('`measured`: everything that was measured; `finished`: finished points only.'),
});

const cancelRunRoute = createRoute({
  method: 'post',
  path: '/v1/runs/{id}/cancel',
  operationId: 'cancelRun',
  tags,
  summary: 'Cancel a run',
  description:
    "Only your account's runs; admins can cancel any. A queued run ends immediately, any other within two seconds. Results measured before are stored. " +
    'By default these include the requests of the point that the cancellation ends, marked as partial; `publish: "finished"` stores finished points only.',
  security,
  request: {
    params: idParam,
    query,
    body: {
      required: false,
      content: {
        'application/json': {
          schema: z.toJSONSchema(CancelBodySchema, { io: 'input' }) as object,
          example: { publish: 'finished' },
        },
      },
    },
  },
  responses: {
    202: json('Requested. The updated run.', RunSchema),
    200: json('It was already finished.', RunSchema),
    ...writeProblems,
    ...missing,
    ...tooLarge,
    ...notJson,
  },
});

const isEmpty = async (c: Context<AppContext>) => (await c.req.arrayBuffer()).byteLength === 0;

export const runNotFound = () => new DomainError('not_found', 'There is no run with this id.');

/** Enough for a list of a thousand workloads. */
const bodyBytesMax = 1024 * 1024;
const cancelBytesMax = 16 * 1024;

/** The id of the last run of the previous page. */
const CursorSchema = z.string().max(100);

export function runRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/runs', requireKeyToPost, limitBody(bodyBytesMax));
  router.use('/v1/runs/:id/cancel', requireKeyToPost, limitBody(cancelBytesMax));
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
    const work = async () => createRun(deps, accountId, await readRunRequest(db, reach, body), request);
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
        const read = (most: number) => listRuns(db, { accountId, state, endpointId, limit: most, after });
        const { page, cursor } = await readPage(c.req.url, limit, read, ({ id }) => id);
        return c.json({ data: page.map((row) => viewRunSummary(row, deps.publicUrl)), next_cursor: cursor }, 200);
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
        const { publish } = (await isEmpty(c)) ? { publish: undefined } : await readJsonBody(c, CancelBodySchema);
        const before = await cancelRun(db, row.id, publish, (tx) => audit(tx, row.id));
        if (before === null) throw runNotFound();
        return c.json(await view(await find(row.id), 'account'), isEnded(before) ? 200 : 202);
      },
      refuse(cancelRunRoute),
    );
}
