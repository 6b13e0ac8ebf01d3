import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { submissionStatuses } from '@inferboard/core/result';
import { parameterShape } from '@inferboard/core/submission/parameters';
import { NameSchema } from '@inferboard/core/text';
import type { Principal } from '@inferboard/db/queries/account';
import { findArtifactOfSubmission } from '@inferboard/db/queries/artifact-find';
import { findSubmission, listSubmissions } from '@inferboard/db/queries/submission-find';
import type { Context } from 'hono';
import { answerOnce, requestNameOf } from '../actions/answer-once.ts';
import { answerSubmission } from '../actions/answer-submission.ts';
import { readUpload } from '../actions/read-upload.ts';
import { fingerprintOf, sha256, type Upload } from '../actions/submit-report.ts';
import { rankedInText, tellAnswer, tellStored } from '../actions/tell-submission.ts';
import { artifactBytesMax } from '../actions/unpack-artifact.ts';
import { viewStored } from '../actions/view-stored.ts';
import { kept } from '../answer-cache/keep.ts';
import { senderIsFull } from '../bodies/budget.ts';
import { bodyLimits } from '../bodies/receive-body.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { AppContext, Deps } from '../deps.ts';
import { isInside } from '../inside.ts';
import { isId } from '../is-id.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import {
  conflict,
  limitDefault,
  missing,
  pageOf,
  pageShape,
  problem,
  readProblems,
  refusal,
  tooLarge,
  writeProblems,
} from '../schemas/common.ts';
import { formatShape, orText } from '../schemas/format.ts';
import { fullShape } from '../schemas/full.ts';
import { sends } from '../schemas/headers.ts';

import { SubmissionSchema, SubmissionSummarySchema } from '../schemas/submission.ts';
import { resultsShownMax } from '../short/count-results.ts';
import { viewSubmissionSummary } from '../submission-views.ts';

/** Bytes of a body at most. */
export const bodyBytesMax = artifactBytesMax;

export const json = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema } },
});

const binary = { type: 'string', format: 'binary' } as const;

/** What `llama-bench -o md` prints. */
const artifactExample = `| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --: | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 240.52 ± 0.31 |`;

export function notFound(id: string): DomainError {
  return new DomainError(
    'not_found',
    isId('sub', id) ? `There is no submission ${id}.` : 'This is not the id of a submission.',
  );
}

/** What an answer about a large submission leaves out. */
const shortDescription = `The answer has the results if there are at most ${resultsShownMax}, and counts of them always; \`full=true\` has them however many they are.`;

const createSubmission = createRoute({
  method: 'post',
  path: '/v1/submissions',
  operationId: 'createSubmission',
  tags: ['Submissions'],
  summary: "Submit a benchmark tool's output",
  description:
    'The body is the artifact itself, unmodified: JSON, JSONL, CSV, Markdown or console text, whatever the Content-Type says; packed with gzip or zstd if it is large. ' +
    'Facts that it does not state come from the query. `format=text` answers in five lines for people. A multipart form with the field `artifact` and fields of the same names works too. ' +
    shortDescription,
  security: [{ key: ['submit'] }],
  request: {
    query: z.strictObject({
      ...parameterShape,
      ...fullShape,
      ...formatShape,
      dry_run: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .optional()
        .openapi({ description: 'Reads, checks and derives, and stores nothing.' }),
    }),
    headers: z.object({
      'idempotency-key': z.string().optional().openapi({
        description:
          'A name for this request, such as a UUID. Sent again within two days it gets the first answer, with `Idempotency-Replayed: true`.',
      }),
    }),
    body: {
      required: true,
      description: 'The artifact, at most 16 MiB, packed and unpacked.',
      content: {
        'application/octet-stream': { schema: binary, example: artifactExample },
        '*/*': { schema: binary, example: artifactExample },
        'multipart/form-data': {
          schema: { type: 'object', properties: { artifact: binary }, required: ['artifact'] },
          example: { artifact: artifactExample },
        },
      },
    },
  },
  responses: orText({
    201: { ...json('Stored.', SubmissionSchema), headers: sends('Location', 'Idempotency-Replayed') },
    200: {
      ...json('The same was submitted before by this account, or it was a dry run.', SubmissionSchema),
      headers: sends('Idempotency-Replayed'),
    },
    ...writeProblems,
    ...conflict(
      'The first request of this Idempotency-Key is still running.',
      refusal('request_running', 'The first request of this Idempotency-Key is still running: try again.'),
    ),
    ...tooLarge,
    503: problem(
      'The database does not answer, or too many bytes of request bodies are under way; try again.',
      [
        refusal('database_unavailable', 'The database does not answer now; try again in a few seconds.'),
        refusal('bodies_too_many', senderIsFull(bodyLimits).message),
      ],
      'Retry-After',
    ),
  }),
});

export const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the submission.', example: 'sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});

const getSubmission = createRoute({
  method: 'get',
  path: '/v1/submissions/{id}',
  operationId: 'getSubmission',
  tags: ['Submissions'],
  summary: 'One submission with its results and findings',
  description:
    'Whatever its standing: what is quarantined or retracted says so, and why. `would_rank` of a provisional result is the ' +
    `rank that it would have on the board of its workload. ${shortDescription}`,
  request: { params: idParam, query: z.strictObject({ ...fullShape, ...formatShape }) },
  responses: orText({ 200: json('The submission.', SubmissionSchema), ...readProblems, ...missing }),
});

const getArtifact = createRoute({
  method: 'get',
  path: '/v1/submissions/{id}/artifact',
  operationId: 'getArtifact',
  tags: ['Submissions'],
  summary: 'The exact bytes that were submitted',
  description: 'As a file that browsers save and never show. Its tag is the SHA-256 of the bytes.',
  request: { params: idParam, query: z.strictObject({}) },
  responses: {
    200: {
      description: 'The artifact.',
      headers: sends('ETag', 'Content-Disposition', 'Repr-Digest'),
      content: { 'application/octet-stream': { schema: binary } },
    },
    304: { description: 'You have it already.', headers: sends('ETag', 'Content-Disposition', 'Repr-Digest') },
    ...readProblems,
    ...missing,
  },
});

const listSubmissionsRoute = createRoute({
  method: 'get',
  path: '/v1/submissions',
  operationId: 'listSubmissions',
  tags: ['Submissions'],
  summary: 'Submissions, newest first',
  description: 'Without their results, which the address of each has.',
  request: {
    query: z.strictObject({
      ...pageShape,
      account: NameSchema.optional().openapi({ description: 'Account id or name.' }),
      status: z
        .enum(submissionStatuses, { error: `must be one of ${submissionStatuses.join(', ')}` })
        .optional()
        .openapi({ description: 'Only submissions of this standing.' }),
    }),
  },
  responses: { 200: json('A page.', pageOf(SubmissionSummarySchema)), ...readProblems },
});

const shrink = 'Leave per-request texts out (drop `requests`, `generated_texts`), or send the CSV or console output.';

/** A submission under a name of the caller's: a repetition gets the first answer. */
function submitOnce(deps: Deps, principal: Principal, upload: Upload, name: string) {
  const request = { keyId: principal.keyId, route: 'createSubmission', name };
  const fingerprint = fingerprintOf(sha256(upload.bytes), upload.parameters);
  return answerOnce(deps, request, fingerprint, () => answerSubmission(deps, { principal, upload, request }));
}

/** The id of the last submission of the page before. */
const CursorSchema = z.string().max(100);

/**
 * The site reads for its visitors, who have no key, what they paste there: a dry run stores nothing, and the door has
 * counted the page that asks for it.
 */
const isForVisitor = (c: Context<AppContext>) => isInside(c) && c.req.query('dry_run') === 'true';
const visitor: Principal = { accountId: '', accountName: 'nobody', keyId: '', scopes: [] };

export function submissionRoutes(deps: Deps) {
  const router = createRouter();
  router.use(
    '/v1/submissions',
    (c, next) => (isForVisitor(c) ? next() : requireKeyToPost(c, next)),
    limitBody(bodyBytesMax, shrink),
  );
  const { db } = deps.database;
  return router
    .openapi(
      createSubmission,
      async (c) => {
        const principal = isForVisitor(c) ? visitor : requireScope(c, 'submit');
        const { format, ...query } = c.req.valid('query');
        const name = requestNameOf(c.req.header('idempotency-key'));
        const isText = format === 'text';
        const read = await readUpload(c, query);
        const upload = isText ? { ...read, isFull: false, ranked: rankedInText } : read;
        const { status, location, body, replayed } =
          name === null || upload.dryRun
            ? { ...(await answerSubmission(deps, { principal, upload, request: null })), replayed: false }
            : await submitOnce(deps, principal, upload, name);
        const headers = {
          ...(location && { Location: location }),
          ...(replayed && { 'Idempotency-Replayed': 'true' }),
        };
        if (isText) return c.text(await tellAnswer(deps, body), status, headers) as never;
        return c.body(body, status, { 'Content-Type': 'application/json', ...headers }) as never;
      },
      refuse(createSubmission),
    )
    .openapi(
      kept(deps, listSubmissionsRoute, ['results']),
      async (c) => {
        const { limit = limitDefault, account, status } = c.req.valid('query');
        await requireKnownValues(db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
        const rows = await listSubmissions(db, {
          account: account === undefined ? null : [account],
          status: status === undefined ? null : [status],
          limit: limit + 1,
          after: decodeCursor(c.req.url, CursorSchema),
        });
        const page = rows.slice(0, limit);
        const last = rows.length > limit ? page.at(-1) : undefined;
        return c.json(
          {
            data: page.map((row) => viewSubmissionSummary(row, deps.publicUrl)),
            next_cursor: last === undefined ? null : encodeCursor(c.req.url, last.id),
          },
          200,
        );
      },
      refuse(listSubmissionsRoute, async (c) => [
        ...(await unknownValueFaults(db, c.req.queries())),
        ...cursorFaults(c.req.url, CursorSchema),
      ]),
    )
    .openapi(
      kept(deps, getSubmission, ['results']),
      async (c) => {
        const { id } = c.req.valid('param');
        const row = isId('sub', id) ? await findSubmission(db, id) : null;
        if (row === null) throw notFound(id);
        const { full, format } = c.req.valid('query');
        if (format === 'text') return c.text(await tellStored(deps, row), 200);
        const wanted = { isFull: full === 'true', ranked: ['provisional'] } as const;
        return c.json(await viewStored(deps, db, row, wanted), 200);
      },
      refuse(getSubmission),
    )
    .openapi(
      getArtifact,
      async (c) => {
        const { id } = c.req.valid('param');
        const artifact = isId('sub', id) ? await findArtifactOfSubmission(db, id, deps.artifacts) : null;
        if (artifact === null) throw notFound(id);
        const etag = `"${artifact.sha256}"`;
        const headers = {
          ETag: etag,
          // Bytes of strangers: a browser must neither render nor guess them, and nothing may re-encode them.
          'Content-Type': 'application/octet-stream',
          'Content-Disposition': `attachment; filename="${id}"`,
          'Cache-Control': 'public, max-age=31536000, immutable, no-transform',
          'Repr-Digest': `sha-256=:${Buffer.from(artifact.sha256, 'hex').toString('base64')}:`,
        };
        const known = c.req.header('if-none-match');
        if (known?.split(',').some((tag) => tag.trim() === etag || tag.trim() === '*'))
          return c.body(null, 304, headers);
        return c.body(new Uint8Array(artifact.bytes), 200, headers);
      },
      refuse(getArtifact),
    );
}
