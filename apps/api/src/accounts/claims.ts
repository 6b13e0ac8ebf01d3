import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { claimDays, claimSubmission } from '@inferboard/db/accounts/claim';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { conflict, json, missing, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import { idParam } from '../submissions/actions/submission-id.ts';
import { SubmissionSchema } from '../submissions/actions/submission-schema.ts';
import { findStored, viewStored } from '../submissions/actions/view-stored.ts';
import { hashKey } from './keys.ts';

const ClaimBodySchema = z.strictObject({
  token: z
    .string()
    .max(500, 'must have at most 500 characters')
    .describe('The token from the response to the submission.'),
});

const claimSubmissionRoute = createRoute({
  method: 'post',
  path: '/v1/submissions/{id}/claim',
  operationId: 'claimSubmission',
  tags: ['Submissions'],
  summary: 'Claim a submission that was sent without a key',
  description: `The submission then belongs to the account and gets its standing. Its URL does not change. A submission can be claimed once, within ${claimDays} days.`,
  security: [{ key: ['submit'] }],
  request: {
    params: idParam,
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(ClaimBodySchema, { io: 'input' }) as object,
          example: { token: 'ibc_0123456789abcdefghijklmnopqrstuvwxyz' },
        },
      },
    },
  },
  responses: {
    200: json('Claimed. The updated submission.', SubmissionSchema),
    ...writeProblems,
    ...conflict(
      'The account has already submitted the same artifact.',
      refusal('already_submitted', 'Your account has already submitted the same artifact.'),
    ),
    ...missing,
    ...tooLarge,
    ...notJson,
  },
});

const bodyBytesMax = 16 * 1024;

/** The route that claims a submission sent without a key. */
export function claimRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/submissions/:id/claim', requireKeyToPost, limitBody(bodyBytesMax));
  return router.openapi(
    claimSubmissionRoute,
    async (c) => {
      const { accountId } = requireScope(c, 'submit');
      const { id } = c.req.valid('param');
      const { token } = await readJsonBody(c, ClaimBodySchema);
      const claimed = isId('sub', id) ? await claimSubmission(db, { id, hash: hashKey(token), accountId }) : 'invalid';
      if (claimed === 'invalid')
        throw new DomainError('not_found', 'The claim link is invalid, was already used, or has expired.');
      if (claimed === 'duplicate')
        throw new DomainError('already_submitted', 'Your account has already submitted the same artifact.');
      return c.json(await viewStored(deps, db, await findStored(db, id), { ranked: ['provisional'] }), 200);
    },
    refuse(claimSubmissionRoute),
  );
}
