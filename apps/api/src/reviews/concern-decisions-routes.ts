import { createRoute, z } from '@hono/zod-openapi';
import type { AuditedAct } from '@inferboard/db/accounts/audit';
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
import {
  AnswerBodySchema,
  answerBodyDocument,
  ConcernDecisionBodySchema,
  ConcernSchema,
  concernExamples,
  decisionBodyDocument,
} from './concern-schema.ts';
import { concernNotFound, idParam } from './concerns-routes.ts';
import { answerConcern, decideConcern } from './decide-concern.ts';

const tags = ['Concerns'];
const alreadyDecided = refusal('concern_already_decided', 'The concern is already dismissed.');

const answerConcernRoute = createRoute({
  method: 'post',
  path: '/v1/concerns/{id}/answer',
  operationId: 'answerConcern',
  tags,
  summary: 'Answer a concern about your submission',
  description:
    'For the account that made the submission, while the concern is open. A second answer replaces the first. The answer is published with the decision.',
  security: [{ key: ['submit'] }],
  request: {
    params: idParam,
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': { schema: answerBodyDocument, examples: { answer: { value: concernExamples.answered } } },
      },
    },
  },
  responses: {
    200: json('Answered. The updated concern.', ConcernSchema),
    ...writeProblems,
    ...conflict('It is already decided.', alreadyDecided),
    ...missing,
    ...tooLarge,
    ...notJson,
  },
});

const decideConcernRoute = createRoute({
  method: 'post',
  path: '/v1/concerns/{id}/decision',
  operationId: 'decideConcern',
  tags,
  summary: 'Decide a concern',
  description:
    'The note is public. After the decision, the concern and its answer are public too. An upheld concern can quarantine or retract the submission in the same step. A decision is final.',
  security: [{ key: ['admin'] }],
  request: {
    params: idParam,
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: decisionBodyDocument,
          examples: {
            retract: { value: concernExamples.retracted },
            dismiss: { value: concernExamples.dismissed },
          },
        },
      },
    },
  },
  responses: {
    200: json('Decided. The updated concern.', ConcernSchema),
    ...writeProblems,
    ...conflict(
      'It is already decided, or the submission is already retracted.',
      alreadyDecided,
      refusal('submission_already_retracted', 'The submission is already retracted. Use the action "none".'),
    ),
    ...missing,
    ...tooLarge,
    ...notJson,
  },
});

const bodyBytesMax = 16 * 1024;

/** Routes for owners' responses to concerns and admins' decisions about them. */
export function concernDecisionRoutes(deps: Deps) {
  const router = createRouter();
  for (const path of ['/v1/concerns/:id/answer', '/v1/concerns/:id/decision'])
    router.use(path, requireKeyToPost, limitBody(bodyBytesMax));
  return router
    .openapi(
      answerConcernRoute,
      async (c) => {
        const principal = requireScope(c, 'submit');
        const { id } = c.req.valid('param');
        const { text } = await readJsonBody(c, AnswerBodySchema);
        const precondition = requireMatch(c, `/v1/concerns/${id}`);
        const concern = isId('con', id) ? await answerConcern(deps, principal, id, text, precondition) : null;
        if (concern === null) throw concernNotFound();
        return c.json(concern, 200);
      },
      refuse(answerConcernRoute),
    )
    .openapi(
      decideConcernRoute,
      async (c) => {
        const principal = requireScope(c, 'admin');
        const { id } = c.req.valid('param');
        const body = await readJsonBody(c, ConcernDecisionBodySchema);
        const how = {
          precondition: requireMatch(c, `/v1/concerns/${id}`),
          auditOf: (act: AuditedAct) => auditOf(c, act),
        };
        const concern = isId('con', id) ? await decideConcern(deps, principal, id, body, how) : null;
        if (concern === null) throw concernNotFound();
        return c.json(concern, 200);
      },
      refuse(decideConcernRoute),
    );
}
