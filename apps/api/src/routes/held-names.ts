import { createRoute, z } from '@hono/zod-openapi';
import { readHeldNames, reviewHeldName } from '../actions/review-held-name.ts';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { readJsonBody } from '../read-json.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { conflict, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import {
  HeldNameReviewedSchema,
  HeldNameReviewSchema,
  HeldNamesQuerySchema,
  HeldNamesSchema,
  heldNameExample,
  heldNameReviewDocument,
} from '../schemas/held-name.ts';
import { json } from './submissions.ts';

const path = '/v1/admin/held-names';

const listHeldNamesRoute = createRoute({
  method: 'get',
  path,
  operationId: 'listHeldNames',
  tags: ['Submissions'],
  summary: 'Unknown names that results are held back for',
  description: 'Those with the most results first. `POST` to the same address decides about all results of a name.',
  security: [{ key: ['admin'] }],
  request: { query: HeldNamesQuerySchema },
  responses: { 200: json('The names.', HeldNamesSchema), ...writeProblems },
});

const reviewHeldNameRoute = createRoute({
  method: 'post',
  path,
  operationId: 'reviewHeldName',
  tags: ['Submissions'],
  summary: 'Decide about all results that are held back under a name',
  description:
    'As the review of a submission, for every submission with the name, 100 of them at once. Mapped results are checked again by the figures of the catalogue; those that cannot be true stay held back.',
  security: [{ key: ['admin'] }],
  request: {
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': { schema: heldNameReviewDocument, examples: { map: { value: heldNameExample } } },
      },
    },
  },
  responses: {
    200: json('Decided; what became of each submission.', HeldNameReviewedSchema),
    ...writeProblems,
    ...conflict(
      'Nothing is held back under this name.',
      refusal('nothing_to_review', 'No result is held back under the gpu "Frobnicator 9000".'),
    ),
    ...tooLarge,
    ...notJson,
  },
});

const bodyBytesMax = 16 * 1024;

/** Unknown names of results that are held back, and one decision for all results of a name. */
export function heldNameRoutes(deps: Deps) {
  const router = createRouter();
  router.use(path, requireKeyToPost, limitBody(bodyBytesMax));
  return router
    .openapi(
      listHeldNamesRoute,
      async (c) => {
        requireScope(c, 'admin');
        return c.json({ data: await readHeldNames(deps, c.req.valid('query')) }, 200);
      },
      refuse(listHeldNamesRoute),
    )
    .openapi(
      reviewHeldNameRoute,
      async (c) => {
        const principal = requireScope(c, 'admin');
        const { to, ...body } = await readJsonBody(c, HeldNameReviewSchema);
        return c.json(await reviewHeldName(deps, principal, { ...body, to }, auditOf(c, 'submission_reviewed')), 200);
      },
      refuse(reviewHeldNameRoute),
    );
}
