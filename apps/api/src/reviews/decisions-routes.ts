import { createRoute, z } from '@hono/zod-openapi';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { requireMatch } from '../middleware/preconditions.ts';
import { conflict, json, missing, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import { retractSubmission } from '../submissions/actions/retract-submission.ts';
import { idParam, notFound } from '../submissions/actions/submission-id.ts';
import { SubmissionSchema } from '../submissions/actions/submission-schema.ts';
import { NoteSchema, ReviewBodySchema, reviewBodyDocument, reviewExamples } from './review-schema.ts';
import { reviewSubmission } from './review-submission.ts';

const reviewSubmissionRoute = createRoute({
  method: 'post',
  path: '/v1/submissions/{id}/review',
  operationId: 'reviewSubmission',
  tags: ['Submissions'],
  summary: 'Decide on held results',
  description:
    'A quarantined result stays off the boards until it is cleared, or until its unknown names are mapped and ' +
    'the catalogue finds nothing impossible about it. Other results of the submission do not change.',
  security: [{ key: ['admin'] }],
  request: {
    params: idParam,
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: reviewBodyDocument,
          examples: { map: { value: reviewExamples.map }, clear: { value: reviewExamples.clear } },
        },
      },
    },
  },
  responses: {
    200: json('Decided. The updated submission.', SubmissionSchema),
    ...writeProblems,
    ...conflict(
      'Nothing is quarantined, the submission is retracted, or the artifact now gives different results.',
      refusal('nothing_to_review', 'No result of this submission is quarantined.'),
    ),
    ...missing,
    ...tooLarge,
    ...notJson,
  },
});

const RetractBodySchema = z.strictObject({
  reason: NoteSchema.describe('Reason (public). Plain text, at most 2000 characters.'),
});

const retractSubmissionRoute = createRoute({
  method: 'post',
  path: '/v1/submissions/{id}/retract',
  operationId: 'retractSubmission',
  tags: ['Submissions'],
  summary: 'Retract a submission',
  description:
    'For the account that made it, and for admins. Its results are removed from all boards immediately. The page, the figures and the artifact stay readable and show the reason. This cannot be undone, but the same bytes can be submitted again.',
  security: [{ key: ['submit'] }],
  request: {
    params: idParam,
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(RetractBodySchema, { io: 'input' }) as object,
          examples: { mistake: { value: { reason: 'The GPU ran at a lower power limit than we had written.' } } },
        },
      },
    },
  },
  responses: {
    200: json('Retracted. The updated submission.', SubmissionSchema),
    ...writeProblems,
    ...conflict(
      'It is already retracted.',
      refusal('submission_already_retracted', 'This submission is already retracted.'),
    ),
    ...missing,
    ...tooLarge,
    ...notJson,
  },
});

/** Enough for ten thousand ids and a note. */
const reviewBytesMax = 1024 * 1024;
const retractBytesMax = 16 * 1024;

/** The URLs of the short and the full response for a submission. */
const addressesOf = (id: string) => [`/v1/submissions/${id}`, `/v1/submissions/${id}?full=true`] as const;

export function decisionRoutes(deps: Deps) {
  const router = createRouter();
  router.use('/v1/submissions/:id/review', requireKeyToPost, limitBody(reviewBytesMax));
  router.use('/v1/submissions/:id/retract', requireKeyToPost, limitBody(retractBytesMax));
  return router
    .openapi(
      reviewSubmissionRoute,
      async (c) => {
        const principal = requireScope(c, 'admin');
        const { id } = c.req.valid('param');
        const body = await readJsonBody(c, ReviewBodySchema);
        const precondition = requireMatch(c, ...addressesOf(id));
        const audit = auditOf(c, 'submission_reviewed');
        const submission = isId('sub', id)
          ? await reviewSubmission(deps, principal, id, body, { precondition, audit })
          : null;
        if (submission === null) throw notFound(id);
        return c.json(submission, 200);
      },
      refuse(reviewSubmissionRoute),
    )
    .openapi(
      retractSubmissionRoute,
      async (c) => {
        const principal = requireScope(c, 'submit');
        const { id } = c.req.valid('param');
        const { reason } = await readJsonBody(c, RetractBodySchema);
        const precondition = requireMatch(c, ...addressesOf(id));
        const audit = auditOf(c, 'submission_retracted');
        const submission = isId('sub', id)
          ? await retractSubmission(deps, principal, id, reason, { precondition, audit })
          : null;
        if (submission === null) throw notFound(id);
        return c.json(submission, 200);
      },
      refuse(retractSubmissionRoute),
    );
}
