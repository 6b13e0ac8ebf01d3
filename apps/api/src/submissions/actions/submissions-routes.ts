import { createRoute, z } from '@hono/zod-openapi';
import { submissionStatuses } from '@inferboard/core/subjects/result';
import { NameSchema } from '@inferboard/core/text/text';
import { findArtifactOfSubmission } from '@inferboard/db/submissions/artifact-find';
import { findSubmission, listSubmissions } from '@inferboard/db/submissions/submission-find';
import { requireKnownValues, unknownValueFaults } from '../../boards/known-values.ts';
import { fieldsShape } from '../../conventions/fields.ts';
import type { Deps } from '../../deps.ts';
import { cursorFaults, decodeCursor, readPage } from '../../http/cursor.ts';
import { isId } from '../../http/is-id.ts';
import { refuse } from '../../http/refuse.ts';
import { createRouter } from '../../http/router.ts';
import { cached } from '../../response-cache/cached.ts';
import { matchesIfNoneMatch } from '../../response-cache/conditional-requests.ts';
import { json, limitDefault, missing, pageOf, pageShape, readProblems } from '../../schemas/common.ts';
import { formatShape, orText } from '../../schemas/format.ts';
import { sends } from '../../schemas/headers.ts';
import { viewSubmissionSummary } from '../submission-views.ts';
import { fullShape } from './full-schema.ts';
import { idParam, notFound } from './submission-id.ts';
import { resultsShownDescription, SubmissionSchema, SubmissionSummarySchema } from './submission-schema.ts';
import { storedAsText } from './submission-text.ts';
import { viewStored } from './view-stored.ts';

const binary = { type: 'string', format: 'binary' } as const;

const getSubmission = createRoute({
  method: 'get',
  path: '/v1/submissions/{id}',
  operationId: 'getSubmission',
  tags: ['Submissions'],
  summary: 'Get a submission with its results and findings',
  description:
    'In any status. Quarantined and retracted results state the reason. `would_rank` of a provisional result is the ' +
    `rank that it would have on the board of its workload. ${resultsShownDescription}`,
  request: { params: idParam, query: z.strictObject({ ...fullShape, ...formatShape }) },
  responses: { ...orText({ 200: json('The submission.', SubmissionSchema) }), ...readProblems, ...missing },
});

const getArtifact = createRoute({
  method: 'get',
  path: '/v1/submissions/{id}/artifact',
  operationId: 'getArtifact',
  tags: ['Submissions'],
  summary: 'Download the submitted artifact',
  description:
    'The exact bytes that were submitted, as a download that browsers never display. The ETag is the SHA-256 of the bytes.',
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
  summary: 'List submissions',
  description: 'Newest first, without results; `GET /v1/submissions/{id}` has them.',
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

/** The id of the last submission of the previous page. */
const CursorSchema = z.string().max(100);

export function submissionRoutes(deps: Deps) {
  const { db } = deps.database;
  return createRouter()
    .openapi(
      cached(deps, listSubmissionsRoute, ['results']),
      async (c) => {
        const { limit = limitDefault, account, status } = c.req.valid('query');
        await requireKnownValues(db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
        const filters = {
          account: account === undefined ? null : [account],
          status: status === undefined ? null : [status],
          after: decodeCursor(c.req.url, CursorSchema),
        };
        const read = (most: number) => listSubmissions(db, { ...filters, limit: most });
        const { page, cursor } = await readPage(c.req.url, limit, read, ({ id }) => id);
        return c.json(
          { data: page.map((row) => viewSubmissionSummary(row, deps.publicUrl)), next_cursor: cursor },
          200,
        );
      },
      refuse(listSubmissionsRoute, async (c) => [
        ...(await unknownValueFaults(db, c.req.queries())),
        ...cursorFaults(c.req.url, CursorSchema),
      ]),
    )
    .openapi(
      cached(deps, getSubmission, ['results']),
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
        if (matchesIfNoneMatch(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
        return c.body(new Uint8Array(artifact.bytes), 200, headers);
      },
      refuse(getArtifact),
    );
}
