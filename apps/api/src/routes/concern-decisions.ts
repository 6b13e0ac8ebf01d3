import { createRoute, z } from '@hono/zod-openapi';
import type { AuditedAct } from '@inferboard/db/queries/audit';
import { answerConcern, decideConcern } from '../actions/decide-concern.ts';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { requireMatch } from '../middleware/preconditions.ts';
import { readJsonBody } from '../read-json.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { conflict, missing, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import {
  AnswerBodySchema,
  answerBodyDocument,
  ConcernDecisionBodySchema,
  ConcernSchema,
  concernExamples,
  decisionBodyDocument,
} from '../schemas/concern.ts';
import { concernNotFound, idParam } from './concerns.ts';
import { json } from './submissions.ts';

const tags = ['Concerns'];
const alreadyDecided = refusal('concern_already_decided', 'The concern was dismissed before: that stands.');

const answerConcernRoute = createRoute({
  method: 'post',
  path: '/v1/concerns/{id}/answer',
  operationId: 'answerConcern',
  tags,
  summary: 'Answer a concern about your submission',
  description:
    'For the account that made the submission, while the concern is open; said again, it replaces what was said before. It is published with the decision.',
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
    200: json('Answered; the concern as it is now.', ConcernSchema),
    ...writeProblems,
    ...conflict('It is decided already.', alreadyDecided),
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
  summary: 'Decide about a concern',
  description:
    'With a note for everyone; from then on the concern is public, with the answer to it. One that is upheld may quarantine or retract the submission, in the same step. It cannot be decided again.',
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
    200: json('Decided; the concern as it is now.', ConcernSchema),
    ...writeProblems,
    ...conflict(
      'It is decided already, or the submission was retracted before.',
      alreadyDecided,
      refusal('submission_already_retracted', 'The submission was retracted before: decide with the action "none".'),
    ),
    ...missing,
    ...tooLarge,
    ...notJson,
  },
});

const bodyBytesMax = 16 * 1024;

/** What is said to concerns, and decided about them. */
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
