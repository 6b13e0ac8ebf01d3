import { createRoute, z } from '@hono/zod-openapi';
import { type ConcernState, concernStates } from '@inferboard/core/concerns';
import { DomainError } from '@inferboard/core/errors';
import { findConcern, listConcerns } from '@inferboard/db/reviews/concern-find';
import type { Reporter } from '@inferboard/db/reviews/concern-insert';
import { findSubmission } from '@inferboard/db/submissions/submission-find';
import type { Context } from 'hono';
import { fieldsShape } from '../conventions/fields.ts';
import type { AppContext, Deps } from '../deps.ts';
import { cursorFaults, decodeCursor, readPage } from '../http/cursor.ts';
import { isId } from '../http/is-id.ts';
import { concernReports } from '../http/rate-limits.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { addressOf, limitCaller } from '../middleware/limit-rate.ts';
import { cached } from '../response-cache/cached.ts';
import { fingerprintOfBody } from '../runs/create-run.ts';
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
  tooMany,
  writeProblems,
} from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import { answerOnce, requestNameOf } from '../submissions/actions/answer-once.ts';
import { notFound, idParam as submissionParam } from '../submissions/actions/submission-id.ts';
import { ConcernBodySchema, ConcernSchema, concernBodyDocument, concernExamples } from './concern-schema.ts';
import { readerOf, viewConcern } from './concern-views.ts';
import { callerOf, hashAddress, reportConcern } from './report-concern.ts';

export const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the concern.', example: 'con_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});
const tags = ['Concerns'];
const whoSees =
  'An open concern is visible to the owner of the submission, the account that reported it, and admins. A decided concern is public.';

export const concernNotFound = () =>
  new DomainError('not_found', 'There is no concern with this id, or you may not read it.');

const createConcern = createRoute({
  method: 'post',
  path: '/v1/submissions/{id}/concerns',
  operationId: 'createConcern',
  tags,
  summary: 'Report a problem with a submission',
  description:
    'No key is needed. The text is shown to the owner of the submission and to admins, and becomes public when an admin ' +
    'has decided. Only admins can see who reported it. Without a key, only a hash of the IP address is stored, until the decision. ' +
    `At most ${concernReports.quota} per day, and one open concern per submission. The same text again returns the first one.`,
  request: {
    params: submissionParam,
    query: z.strictObject({}),
    headers: z.object({
      'idempotency-key': z
        .string()
        .optional()
        .openapi({
          description:
            'A unique key for this request, such as a UUID. A repetition within two days with the same key gets the first response, with `Idempotency-Replayed: true`. ' +
            'Without an API key it has no effect: a repetition is recognised by its text.',
        }),
    }),
    body: {
      required: true,
      content: {
        'application/json': { schema: concernBodyDocument, examples: { wrong: { value: concernExamples.reported } } },
      },
    },
  },
  responses: {
    201: {
      ...json('Reported. An admin will decide.', ConcernSchema),
      headers: sends('Location', 'Idempotency-Replayed'),
    },
    200: {
      ...json('You have already reported the same problem. This is the open concern.', ConcernSchema),
      headers: sends('Idempotency-Replayed'),
    },
    ...readProblems,
    ...conflict(
      'Another of your concerns about this submission is open.',
      refusal(
        'concern_already_open',
        'You already have an open concern about this submission (con_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f). Wait for the decision.',
      ),
      refusal('request_running', 'The first request with this Idempotency-Key is still running. Try again.'),
    ),
    ...missing,
    ...tooLarge,
    ...notJson,
    ...tooMany,
  },
});

const concernFields = 'id,state,reason';

const listSubmissionConcerns = createRoute({
  method: 'get',
  path: '/v1/submissions/{id}/concerns',
  operationId: 'listSubmissionConcerns',
  tags,
  summary: 'List concerns about a submission',
  description: whoSees,
  request: {
    params: submissionParam,
    query: z.strictObject({ ...pageShape, ...fieldsShape(ConcernSchema, concernFields) }),
  },
  responses: { 200: json('A page.', pageOf(ConcernSchema)), ...readProblems, ...missing },
});

const getConcern = createRoute({
  method: 'get',
  path: '/v1/concerns/{id}',
  operationId: 'getConcern',
  tags,
  summary: 'Get a concern',
  description: whoSees,
  request: { params: idParam, query: z.strictObject({}) },
  responses: { 200: json('The concern.', ConcernSchema), ...readProblems, ...missing },
});

const listConcernsRoute = createRoute({
  method: 'get',
  path: '/v1/concerns',
  operationId: 'listConcerns',
  tags,
  summary: 'List all concerns',
  description: 'Open and decided concerns, newest first.',
  security: [{ key: ['admin'] }],
  request: {
    query: z.strictObject({
      ...pageShape,
      state: z
        .enum(concernStates, { error: `must be one of ${concernStates.join(', ')}` })
        .optional()
        .openapi({ description: 'Only concerns in this state.', example: 'open' }),
      ...fieldsShape(ConcernSchema, concernFields),
    }),
  },
  responses: { 200: json('A page.', pageOf(ConcernSchema)), ...writeProblems },
});

/** A thousand characters, each at most twelve bytes in escaped JSON. */
const bodyBytesMax = 16 * 1024;

/** The id of the last concern of the previous page. */
const CursorSchema = z.string().max(100);

/** Responses that differ by client must not be shared. */
const ofOneReader = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization' };

export function concernRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/submissions/:id/concerns', limitBody(bodyBytesMax));

  const requireSubmission = async (id: string) => {
    if (!isId('sub', id) || (await findSubmission(db, id)) === null) throw notFound(id);
  };

  /**
   * Counts a report against the quota. Reports of new accounts also count against the address, because anyone can register
   * another account.
   */
  const limitReports = (c: Context<AppContext>, reporter: Reporter, hash: string) => async () => {
    const principal = c.get('principal');
    if (principal?.scopes.includes('admin')) return;
    await limitCaller(deps, c, concernReports, callerOf(reporter));
    if (principal?.isNew) await limitCaller(deps, c, concernReports, callerOf({ hash }));
  };

  const create = async (c: Context<AppContext>, submissionId: string) => {
    const principal = c.get('principal');
    const name = requestNameOf(c.req.header('idempotency-key'));
    const body = await readJsonBody(c, ConcernBodySchema);
    await requireSubmission(submissionId);
    const hash = await hashAddress(db, addressOf(deps, c));
    const reporter: Reporter = principal === null ? { hash } : { accountId: principal.accountId };
    const request =
      name === null || principal === null ? null : { keyId: principal.keyId, route: 'createConcern', name };
    const report = { concern: { submissionId, reporter, ...body }, reader: readerOf(principal), request };
    const work = () => reportConcern(deps, report, limitReports(c, reporter, hash));
    return request === null
      ? { ...(await work()), replayed: false }
      : answerOnce(deps, request, fingerprintOfBody({ submissionId, ...body }), work);
  };

  const list = async (
    c: Context<AppContext>,
    asked: { submissionId: string | null; state: ConcernState | null; limit: number },
  ) => {
    const reader = readerOf(c.get('principal'));
    const after = decodeCursor(c.req.url, CursorSchema);
    const read = (limit: number) => listConcerns(db, reader, { ...asked, limit, after });
    const { page, cursor } = await readPage(c.req.url, asked.limit, read, ({ id }) => id);
    return { data: page.map((row) => viewConcern(row, reader, deps.publicUrl)), next_cursor: cursor };
  };
  const ofCursor = async (c: Context<AppContext>) => cursorFaults(c.req.url, CursorSchema);

  return router
    .openapi(
      createConcern,
      async (c) => {
        const { status, location, body, replayed } = await create(c, c.req.valid('param').id);
        const headers = {
          ...(location && { Location: location }),
          ...(replayed && { 'Idempotency-Replayed': 'true' }),
        };
        return c.body(body, status, { 'Content-Type': 'application/json', ...headers }) as never;
      },
      refuse(createConcern),
    )
    .openapi(
      cached(deps, listSubmissionConcerns, ['results', 'concerns'], { isAnonymousOnly: true }),
      async (c) => {
        const { id } = c.req.valid('param');
        const { limit = limitDefault } = c.req.valid('query');
        await requireSubmission(id);
        return c.json(await list(c, { submissionId: id, state: null, limit }), 200, ofOneReader);
      },
      refuse(listSubmissionConcerns, ofCursor),
    )
    .openapi(
      listConcernsRoute,
      async (c) => {
        requireScope(c, 'admin');
        const { limit = limitDefault, state = null } = c.req.valid('query');
        return c.json(await list(c, { submissionId: null, state, limit }), 200, ofOneReader);
      },
      refuse(listConcernsRoute, ofCursor),
    )
    .openapi(
      cached(deps, getConcern, ['results', 'concerns'], { isAnonymousOnly: true }),
      async (c) => {
        const reader = readerOf(c.get('principal'));
        const { id } = c.req.valid('param');
        const row = isId('con', id) ? await findConcern(db, id, reader) : null;
        if (row === null) throw concernNotFound();
        return c.json(viewConcern(row, reader, deps.publicUrl), 200, ofOneReader);
      },
      refuse(getConcern),
    );
}
