import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { addToCatalogue, readAdditions, removeFromCatalogue } from '../actions/add-to-catalogue.ts';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { readJsonBody } from '../read-json.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import {
  AdditionBodySchema,
  AdditionSchema,
  AdditionsSchema,
  additionDocument,
  additionExamples,
  toAddition,
} from '../schemas/addition.ts';
import { conflict, missing, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import { json } from './submissions.ts';

const path = '/v1/admin/catalogue';
const tags = ['Catalogue'];
const security = [{ key: ['admin'] }];

const listAdditionsRoute = createRoute({
  method: 'get',
  path,
  operationId: 'listCatalogueAdditions',
  tags,
  summary: 'What admins added to the catalogue',
  description: 'With the results that are held back under names that mean an added entry by now.',
  security,
  request: { query: z.strictObject({}) },
  responses: { 200: json('In the order in which they were added.', AdditionsSchema), ...writeProblems },
});

const addRoute = createRoute({
  method: 'post',
  path,
  operationId: 'addToCatalogue',
  tags,
  summary: 'Add an entry to the catalogue, or names to an entry',
  description:
    'A new model, GPU, quantization or engine with its facts, or with `aliases` alone further names of an entry. From then on every process understands the names. ' +
    'An id or a name that means another entry already is refused. Results that are held back under the names wait at `held.link` for one decision about each name.',
  security,
  request: {
    query: z.strictObject({}),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: additionDocument,
          examples: {
            gpu: { value: additionExamples.gpu },
            model: { value: additionExamples.model },
            names: { value: additionExamples.names },
          },
        },
      },
    },
  },
  responses: { 201: json('Added.', AdditionSchema), ...writeProblems, ...tooLarge, ...notJson },
});

const removeRoute = createRoute({
  method: 'delete',
  path: `${path}/{id}`,
  operationId: 'removeFromCatalogue',
  tags,
  summary: 'Remove what was added to the catalogue',
  description: 'Possible while no stored result and no other entry needs it.',
  security,
  request: {
    params: z.object({ id: z.string().openapi({ description: 'Id of the addition.', example: 'cat_0192f0c1' }) }),
    query: z.strictObject({}),
  },
  responses: {
    204: { description: 'Removed.' },
    ...writeProblems,
    ...missing,
    ...conflict(
      'Something needs it.',
      refusal('entry_in_use', 'Stored results or other entries refer to the gpu frobnicator-8000.'),
    ),
  },
});

const bodyBytesMax = 64 * 1024;

/** What admins add to the catalogue of the release. */
export function additionRoutes(deps: Deps) {
  const router = createRouter();
  router.use(path, requireKeyToPost, limitBody(bodyBytesMax));
  return router
    .openapi(
      listAdditionsRoute,
      async (c) => {
        requireScope(c, 'admin');
        return c.json({ data: await readAdditions(deps) }, 200);
      },
      refuse(listAdditionsRoute),
    )
    .openapi(
      addRoute,
      async (c) => {
        const principal = requireScope(c, 'admin');
        const addition = toAddition(await readJsonBody(c, AdditionBodySchema));
        const added = await addToCatalogue(deps, principal, addition, auditOf(c, 'catalogue_entry_added'));
        if (added === undefined) throw new Error('what was added is gone');
        return c.json(added, 201);
      },
      refuse(addRoute),
    )
    .openapi(
      removeRoute,
      async (c) => {
        requireScope(c, 'admin');
        const { id } = c.req.valid('param');
        const isRemoved =
          isId('cat', id) && (await removeFromCatalogue(deps, id, auditOf(c, 'catalogue_entry_removed')));
        if (!isRemoved) throw new DomainError('not_found', 'Nothing of this id was added to the catalogue.');
        return c.body(null, 204);
      },
      refuse(removeRoute),
    );
}
