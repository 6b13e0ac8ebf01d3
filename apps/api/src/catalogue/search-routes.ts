import { createRoute, z } from '@hono/zod-openapi';
import { matches } from '@inferboard/core/find/match';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { readProblems } from '../schemas/common.ts';
import { searchAll } from './search.ts';
import { SearchTextSchema } from './search-text.ts';

const FoundSchema = z
  .object({
    kind: z.enum(['model', 'gpu', 'quantization', 'engine', 'system', 'account', 'submission']),
    id: z.string(),
    name: z.string(),
    detail: z.string().nullable().openapi({ description: 'Vendor, developer, standing, or tool and account.' }),
    match: z.enum(matches).openapi({
      description:
        '`exact`: the id, name or an alias. `prefix`: the start of one. `words`: all words. `part`: a part of a name. ' +
        '`some`: some of the words. `similar`: a name with a similar spelling.',
    }),
  })
  .openapi('Found');

const searchRoute = createRoute({
  method: 'get',
  path: '/v1/search',
  operationId: 'searchAll',
  tags: ['Catalogue'],
  summary: 'Find models, GPUs, quantizations, engines, systems, accounts and submissions',
  description:
    'By id, name, alias or words. Submissions are found by id, by the id of a result, and by the SHA-256 of the artifact. ' +
    'At most 10 entries per kind. Entries are grouped by kind: first the kind with the best match, and within each ' +
    'kind, the best match first.',
  request: {
    query: z.strictObject({
      q: SearchTextSchema.openapi({ description: 'What to find.', example: 'llama h100' }),
    }),
  },
  responses: {
    200: {
      description: 'The matches.',
      content: { 'application/json': { schema: z.object({ data: z.array(FoundSchema) }).openapi('SearchResults') } },
    },
    ...readProblems,
  },
});

export function searchRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, searchRoute, ['results']),
    async (c) => c.json({ data: await searchAll(deps.database.reads.db, c.req.valid('query').q) }, 200),
    refuse(searchRoute),
  );
}
