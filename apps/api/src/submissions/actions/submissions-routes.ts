import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { submissionStatuses } from '@inferboard/core/subjects/result';
import { parameterShape } from '@inferboard/core/submission/parameters';
import { NameSchema } from '@inferboard/core/text/text';
import type { Principal } from '@inferboard/db/accounts/account';
import { findArtifactOfSubmission } from '@inferboard/db/submissions/artifact-find';
import { findSubmission, listSubmissions } from '@inferboard/db/submissions/submission-find';
import type { Context } from 'hono';
import { isFromAnonymous, letInAnonymous, submitAnonymously, submitAnonymouslyOnce } from '../../accounts/anonymous.ts';
import { kept } from '../../answer-cache/keep.ts';
import { requireKnownValues, unknownValueFaults } from '../../boards/known-values.ts';
import { senderIsFull } from '../../bodies/budget.ts';
import { bodyLimits } from '../../bodies/receive-body.ts';
import { fieldsShape } from '../../conventions/fields.ts';
import type { AppContext, Deps } from '../../deps.ts';
import { keyUnlessOpen } from '../../document/describe-keys.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../../http/cursor.ts';
import { isInternal } from '../../http/internal-requests.ts';
import { isId } from '../../http/is-id.ts';
import { refuse } from '../../http/refuse.ts';
import { createRouter } from '../../http/router.ts';
import { requireScope } from '../../middleware/auth.ts';
import { limitBody } from '../../middleware/limit-body.ts';
import { addressOf } from '../../middleware/limit-rate.ts';
import {
  conflict,
  json,
  limitDefault,
  missing,
  pageOf,
  pageShape,
  problem,
  readProblems,
  refusal,
  tooLarge,
  tooMany,
  writeProblems,
} from '../../schemas/common.ts';
import { formatShape, orText } from '../../schemas/format.ts';
import { sends } from '../../schemas/headers.ts';
import { resultsShownMax } from '../../short/count-results.ts';
import { signatureShape } from '../../signing/signing-schema.ts';
import { viewSubmissionSummary } from '../submission-views.ts';
import { answerOnce, requestNameOf } from './answer-once.ts';
import { answerSubmission } from './answer-submission.ts';
import { fullShape } from './full-schema.ts';
import { readUpload } from './read-upload.ts';
import { SubmissionSchema, SubmissionSummarySchema } from './submission-schema.ts';
import { answerAsText, rankedInText, storedAsText } from './submission-text.ts';
import { requestFingerprintOf, type Upload } from './submit-report.ts';
import { artifactBytesMax } from './unpack-artifact.ts';
import { viewStored } from './view-stored.ts';

/** Maximum size of a body in bytes. */
export const bodyBytesMax = artifactBytesMax;

const nativeReport = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: { $ref: '#/components/schemas/NativeReport' },
} as const;
const binary = { type: 'string', format: 'binary' } as const;

/** Output of `llama-bench -o md`. */
const artifactExample = `| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --: | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 240.52 ± 0.31 |`;

export function notFound(id: string): DomainError {
  return new DomainError(
    'not_found',
    isId('sub', id) ? `There is no submission ${id}.` : 'This is not the id of a submission.',
  );
}

/** Describes what a response about a large submission omits. */
const shortDescription = `The response includes the results if there are at most ${resultsShownMax}, and always their counts; \`full=true\` always includes them.`;

const createSubmission = createRoute({
  method: 'post',
  path: '/v1/submissions',
  operationId: 'createSubmission',
  tags: ['Submissions'],
  summary: "Submit a benchmark tool's output",
  description:
    'The body is the artifact itself, unmodified: JSON, JSONL, CSV, Markdown or console text. The Content-Type is ignored. Compress large artifacts with gzip or zstd. ' +
    'Without a key, the response has a link with which an account can claim the submission within 30 days. ' +
    'Add missing facts as query parameters. `format=text` returns five lines for people. A multipart form with the field `artifact` and fields of the same names is also accepted. ' +
    '`signing_key` and `signature` sign the artifact with a key of `POST /v1/signing-keys`. ' +
    shortDescription,
  security: keyUnlessOpen('submit'),
  request: {
    query: z.strictObject({
      ...parameterShape,
      ...signatureShape,
      ...fullShape,
      ...formatShape,
      dry_run: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .optional()
        .openapi({ description: 'Parses, checks and derives, but stores nothing.' }),
    }),
    headers: z.object({
      'idempotency-key': z
        .string()
        .optional()
        .openapi({
          description:
            'A unique key for this request, such as a UUID. A repetition within two days gets the first response, with `Idempotency-Replayed: true`. ' +
            'It is scoped to the API key, or to the IP address of a request without one.',
        }),
    }),
    body: {
      required: true,
      description:
        'The artifact, at most 16 MiB, both compressed and uncompressed. The schema `NativeReport` describes the native format.',
      content: {
        'application/octet-stream': { schema: binary, example: artifactExample },
        '*/*': { schema: { anyOf: [binary, nativeReport] }, example: artifactExample },
        // Forms are only in the description: from a union of types, client generators make code that does not compile.
      },
    },
  },
  responses: orText({
    201: { ...json('Stored.', SubmissionSchema), headers: sends('Location', 'Idempotency-Replayed') },
    200: {
      ...json('This account has already submitted the same, or it was a dry run.', SubmissionSchema),
      headers: sends('Idempotency-Replayed'),
    },
    ...writeProblems,
    ...conflict(
      'The first request with this Idempotency-Key is still running.',
      refusal('request_running', 'The first request with this Idempotency-Key is still running. Try again.'),
    ),
    ...tooLarge,
    ...tooMany,
    503: problem(
      'The database is unavailable, or too many request bodies are in progress. Try again.',
      [
        refusal('database_unavailable', 'The database is unavailable. Try again in a few seconds.'),
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
    'In any status. Quarantined and retracted results state the reason. `would_rank` of a provisional result is the ' +
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
  description: 'Sent as a download, never displayed by browsers. The ETag is the SHA-256 of the bytes.',
  request: { params: idParam, query: z.strictObject({}) },
  responses: {
    200: {
      description: 'The artifact.',
      headers: sends('ETag', 'Content-Disposition', 'Repr-Digest'),
      content: { 'application/octet-stream': { schema: binary } },
    },
    304: { description: 'Not modified.', headers: sends('ETag', 'Content-Disposition', 'Repr-Digest') },
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
  description: 'Without results; `GET /v1/submissions/{id}` has them.',
  request: {
    query: z.strictObject({
      ...pageShape,
      ...fieldsShape(SubmissionSummarySchema, 'id,status,tool.name'),
      account: NameSchema.optional().openapi({ description: 'Account id or name.' }),
      status: z
        .enum(submissionStatuses, { error: `must be one of ${submissionStatuses.join(', ')}` })
        .optional()
        .openapi({ description: 'Only submissions with this status.' }),
    }),
  },
  responses: { 200: json('A page.', pageOf(SubmissionSummarySchema)), ...readProblems },
});

const shrink = 'Remove per-request texts (`requests`, `generated_texts`), or send the CSV or console output.';

/** Stores a submission with an idempotency key: a repeated request gets the first response. */
function submitOnce(deps: Deps, principal: Principal, upload: Upload, name: string) {
  const request = { keyId: principal.keyId, route: 'createSubmission', name };
  return answerOnce(deps, request, requestFingerprintOf(upload), () =>
    answerSubmission(deps, { principal, upload, request }),
  );
}

/** The id of the last submission of the previous page. */
const CursorSchema = z.string().max(100);

/**
 * The site parses pasted text for visitors, who have no key. A dry run stores nothing, and the page request was already counted.
 */
const isForVisitor = (c: Context<AppContext>) => isInternal(c) && c.req.query('dry_run') === 'true';
const visitor: Principal = { accountId: '', accountName: 'nobody', keyId: '', scopes: [] };

export function submissionRoutes(deps: Deps) {
  const router = createRouter();
  router.use(
    '/v1/submissions',
    (c, next) => (isForVisitor(c) ? next() : letInAnonymous(deps)(c, next)),
    limitBody(bodyBytesMax, shrink),
  );
  const { db } = deps.database;
  return router
    .openapi(
      createSubmission,
      async (c) => {
        const isAnonymous = isFromAnonymous(deps, c);
        const principal = isForVisitor(c) || isAnonymous ? visitor : requireScope(c, 'submit');
        const { format, ...query } = c.req.valid('query');
        const name = requestNameOf(c.req.header('idempotency-key'));
        const isText = format === 'text';
        const read = await readUpload(c, query);
        const upload = isText ? { ...read, isFull: false, ranked: rankedInText } : read;
        const submit = async () => {
          if (isAnonymous && !upload.dryRun)
            return name === null
              ? { ...(await submitAnonymously(deps, upload)), replayed: false }
              : submitAnonymouslyOnce(deps, upload, { address: addressOf(deps, c), name });
          if (name !== null && !upload.dryRun) return submitOnce(deps, principal, upload, name);
          return { ...(await answerSubmission(deps, { principal, upload, request: null })), replayed: false };
        };
        const { status, location, body, replayed } = await submit();
        const headers = {
          ...(location && { Location: location }),
          ...(replayed && { 'Idempotency-Replayed': 'true' }),
        };
        if (isText) return c.text(await answerAsText(deps, body), status, headers) as never;
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
        if (format === 'text') return c.text(await storedAsText(deps, row), 200);
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
          // Untrusted bytes: browsers must neither render nor sniff them, and nothing may re-encode them.
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
