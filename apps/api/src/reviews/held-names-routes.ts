import { createRoute, z } from '@hono/zod-openapi';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { conflict, json, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import {
  HeldNameReviewedSchema,
  HeldNameReviewSchema,
  HeldNamesQuerySchema,
  HeldNamesSchema,
  heldNameExample,
  heldNameReviewDocument,
} from './held-name-schema.ts';
import { readHeldNames, reviewHeldName } from './review-held-name.ts';

const path = '/v1/admin/held-names';

const listHeldNamesRoute = createRoute({
  method: 'get',
  path,
  operationId: 'listHeldNames',
  tags: ['Submissions'],
  summary: 'List unknown names of held results',
  description: 'The names with the most results first. `POST` to the same URL decides on all results of a name.',
  security: [{ key: ['admin'] }],
  request: { query: HeldNamesQuerySchema },
  responses: { 200: json('The names.', HeldNamesSchema), ...writeProblems },
});

const reviewHeldNameRoute = createRoute({
  method: 'post',
  path,
  operationId: 'reviewHeldName',
  tags: ['Submissions'],
  summary: 'Decide on all held results of a name',
  description:
    'Like the review of a submission, for every submission with the name, up to 100 at once. Mapped results are checked again with the facts of the catalogue; impossible ones stay held.',
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
    200: json('Decided. The outcome for each submission.', HeldNameReviewedSchema),
    ...writeProblems,
    ...conflict(
      'No result is held for this name.',
      refusal('nothing_to_review', 'No result is held for the gpu "Frobnicator 9000".'),
    ),
    ...tooLarge,
    ...notJson,
  },
});

const bodyBytesMax = 16 * 1024;

/** Routes for the unknown names of held results, with one decision for all results of a name. */
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
