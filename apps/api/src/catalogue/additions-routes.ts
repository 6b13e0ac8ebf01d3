import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { auditOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { conflict, json, missing, notJson, refusal, tooLarge, writeProblems } from '../schemas/common.ts';
import { addToCatalogue, readAdditions, removeFromCatalogue } from './add-to-catalogue.ts';
import {
  AdditionBodySchema,
  AdditionSchema,
  AdditionsSchema,
  additionDocument,
  additionExamples,
  toAddition,
} from './addition-schema.ts';

const path = '/v1/admin/catalogue';
const tags = ['Catalogue'];
const security = [{ key: ['admin'] }];

const listAdditionsRoute = createRoute({
  method: 'get',
  path,
  operationId: 'listCatalogueAdditions',
  tags,
  summary: 'List catalogue additions',
  description: 'Oldest first, each with the held results whose names now resolve to its entry.',
  security,
  request: { query: z.strictObject({}) },
  responses: { 200: json('The additions.', AdditionsSchema), ...writeProblems },
});

const addRoute = createRoute({
  method: 'post',
  path,
  operationId: 'addToCatalogue',
  tags,
  summary: 'Add a catalogue entry, or names to an entry',
  description:
    'Send `facts` to create a model, GPU, quantization or engine. Omit them to add `aliases` to an existing entry. ' +
    'All processes resolve the names from the next request on. An id or name that already resolves to another entry is an error. ' +
    '`held` counts the results held under these names; `held.link` lists the names for review.',
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
  responses: {
    201: json('Added.', AdditionSchema),
    ...writeProblems,
    ...conflict(
      'The entry conflicts with the catalogue. `errors` has all reasons.',
      refusal('entry_conflicts', 'The entry conflicts with the catalogue.', [
        {
          code: 'name_taken',
          pointer: '/aliases/0',
          message: '"H100 SXM" is already a name of the gpu h100-sxm, so it cannot name frobnicator-8000.',
          hint: 'Remove it, or choose another name.',
        },
      ]),
    ),
    ...tooLarge,
    ...notJson,
  },
});

const removeRoute = createRoute({
  method: 'delete',
  path: `${path}/{id}`,
  operationId: 'removeFromCatalogue',
  tags,
  summary: 'Remove a catalogue addition',
  description: 'Only if no stored result and no other entry uses it.',
  security,
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the addition.', example: 'cat_0192f0c8a1b27c3d8e4f000000000001' }),
    }),
    query: z.strictObject({}),
  },
  responses: {
    204: { description: 'Removed.' },
    ...writeProblems,
    ...missing,
    ...conflict(
      'Stored results or other entries use it.',
      refusal('entry_in_use', 'Stored results or other entries use the gpu frobnicator-8000.'),
    ),
  },
});

const bodyBytesMax = 64 * 1024;

/** Routes for the admins' additions to the catalogue of the release. */
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
        if (added === undefined) throw new Error('the catalogue addition does not exist');
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
        if (!isRemoved) throw new DomainError('not_found', 'There is no catalogue addition with this id.');
        return c.body(null, 204);
      },
      refuse(removeRoute),
    );
}
