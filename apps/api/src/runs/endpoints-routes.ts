import { randomBytes } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { transact } from '@inferboard/db/connection/transaction';
import {
  type EndpointRow,
  endpointsMax,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  removeEndpoint,
  verifyEndpoint,
} from '@inferboard/db/runs/endpoint';
import { unprovenLimits } from '@inferboard/db/runs/target-budget';
import { seal } from '@inferboard/outbound/sealed-secrets';
import { auditOf } from '../audit.ts';
import { fieldsShape } from '../conventions/fields.ts';
import { removeOwned } from '../conventions/remove-owned.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { readJsonBody } from '../http/read-json.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { reachOf, requireKeyToPost, requireScope } from '../middleware/auth.ts';
import { limitBody } from '../middleware/limit-body.ts';
import { conflict, json, missing, notJson, refusal, targetLimits, tooLarge, writeProblems } from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import { checkEndpoint, proveEndpoint, toBaseUrl, toMetricsUrl } from './ask-endpoint.ts';
import { endpointFaults } from './endpoint-faults.ts';
import { type EndpointBody, EndpointBodySchema, EndpointCheckSchema, EndpointSchema } from './endpoint-schema.ts';
import { viewEndpoint } from './endpoint-view.ts';

const idParam = z.object({
  id: z.string().openapi({ description: 'Id of the endpoint.', example: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
});
const query = z.strictObject({});
const tags = ['Managed runs'];
const security = [{ key: ['run'] }];
const hiddenFromOthers = "Only your account's; admins can access any.";

const createEndpoint = createRoute({
  method: 'post',
  path: '/v1/endpoints',
  operationId: 'createEndpoint',
  tags,
  summary: 'Register a model server to be measured',
  description:
    `Registering sends no request to it. Until control of it is proven, its server gets at most ${unprovenLimits.concurrency_max} concurrent requests ` +
    `and ${unprovenLimits.requests_per_day} requests per day (UTC): checks, proofs, webhook tests and runs count together, by origin and by IP address, for all ` +
    `accounts. A proof applies to all endpoints of the account at that origin. An account can have at most ${endpointsMax}. The credential is never shown again. ` +
    'A GPU, engine or quantization that is similar to a name of the catalogue, but not in it, is rejected with the closest names, unless `unknown_facts` is `keep`.',
  security,
  request: {
    query,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.toJSONSchema(EndpointBodySchema, { io: 'input' }) as object,
          example: {
            name: 'lab-7 node 3',
            base_url: 'https://llm.example.com/v1',
            metrics_url: 'https://llm.example.com/metrics',
            model: 'meta-llama/Llama-3.1-8B-Instruct',
            gpu: 'h100-sxm',
            quantization: 'bf16',
            engine: 'vllm',
            engine_version: '0.11.0',
          },
        },
      },
    },
  },
  responses: {
    201: { ...json('Registered.', EndpointSchema), headers: sends('Location') },
    ...writeProblems,
    ...tooLarge,
    ...notJson,
    ...conflict(
      'The account has an endpoint with this name, or the maximum number.',
      refusal('endpoint_name_taken', 'This account already has an endpoint "lab-7 node 3". Choose another name.'),
      refusal('endpoints_too_many', `The account has ${endpointsMax} endpoints. Remove one first.`),
    ),
  },
});

const listEndpointsRoute = createRoute({
  method: 'get',
  path: '/v1/endpoints',
  operationId: 'listEndpoints',
  tags,
  summary: 'List the endpoints of the account',
  security,
  request: { query: z.strictObject(fieldsShape(EndpointSchema, 'id,name,verified')) },
  responses: {
    200: json('The list.', z.object({ data: z.array(EndpointSchema), next_cursor: z.null() })),
    ...writeProblems,
  },
});

const getEndpoint = createRoute({
  method: 'get',
  path: '/v1/endpoints/{id}',
  operationId: 'getEndpoint',
  tags,
  summary: 'Get an endpoint',
  description: hiddenFromOthers,
  security,
  request: { params: idParam, query },
  responses: { 200: json('The endpoint.', EndpointSchema), ...writeProblems, ...missing },
});

const removeEndpointRoute = createRoute({
  method: 'delete',
  path: '/v1/endpoints/{id}',
  operationId: 'removeEndpoint',
  tags,
  summary: 'Remove an endpoint and its credential',
  description: `${hiddenFromOthers} Its results are kept.`,
  security,
  request: { params: idParam, query },
  responses: { 204: { description: 'Removed.' }, ...writeProblems, ...missing },
});

const checkEndpointRoute = createRoute({
  method: 'post',
  path: '/v1/endpoints/{id}/check',
  operationId: 'checkEndpoint',
  tags,
  summary: 'Check that an endpoint serves its model',
  description:
    'Sends one request, for its list of models. No response is also a valid result. The response has only the class of the HTTP status and ' +
    'whether the registered model is in the list.',
  security,
  request: { params: idParam, query },
  responses: {
    200: json('The result of the check.', EndpointCheckSchema),
    ...writeProblems,
    ...missing,
    ...targetLimits,
  },
});

const proveEndpointRoute = createRoute({
  method: 'post',
  path: '/v1/endpoints/{id}/prove',
  operationId: 'proveEndpoint',
  tags,
  summary: 'Verify that the account controls an endpoint',
  description: 'Sends one request to the URL in `proof`. A successful proof is permanent.',
  security,
  request: { params: idParam, query },
  responses: {
    200: json('Proven.', EndpointSchema),
    ...writeProblems,
    ...targetLimits,
    ...missing,
    ...conflict(
      'The proof token was not found.',
      refusal('endpoint_unproven', 'The token of this endpoint was not found: there was no response.'),
    ),
  },
});

const approveEndpointRoute = createRoute({
  method: 'post',
  path: '/v1/endpoints/{id}/approve',
  operationId: 'approveEndpoint',
  tags,
  summary: 'Approve an endpoint without proof',
  description: 'For admins, for endpoints that cannot serve a file.',
  security: [{ key: ['admin'] }],
  request: { params: idParam, query },
  responses: { 200: json('Approved.', EndpointSchema), ...writeProblems, ...missing },
});

async function store(deps: Deps, accountId: string, body: EndpointBody): Promise<EndpointRow> {
  const { name, base_url, metrics_url, model, api_key, budget, unknown_facts: _, ...facts } = body;
  const { keyring } = deps;
  const baseUrl = toBaseUrl(base_url, deps);
  const metricsUrl = metrics_url === undefined ? null : toMetricsUrl(metrics_url, baseUrl, deps);
  const endpoint = { accountId, name, baseUrl, metricsUrl, model, facts };
  const { requests_per_day: requestsPerDay = null, tokens_per_day: tokensPerDay = null } = budget ?? {};
  const stored = await insertEndpoint(
    deps.database.db,
    { ...endpoint, requestsPerDay, tokensPerDay, proofToken: randomBytes(24).toString('base64url') },
    api_key === undefined || keyring === null ? null : (id) => seal(keyring, { table: 'endpoints', id }, api_key),
  );
  if (stored === 'name_taken')
    throw new DomainError(
      'endpoint_name_taken',
      `This account already has an endpoint "${name}". Choose another name.`,
    );
  if (stored === 'too_many')
    throw new DomainError('endpoints_too_many', `The account has ${endpointsMax} endpoints. Remove one first.`);
  return stored;
}

const notFound = 'There is no endpoint with this id, or you may not read it.';
const bodyBytesMax = 16 * 1024;

export function endpointRoutes(deps: Deps) {
  const { db } = deps.database;
  const router = createRouter();
  router.use('/v1/endpoints', requireKeyToPost, limitBody(bodyBytesMax));
  const find = async (reach: string | null, id: string): Promise<EndpointRow> => {
    const row = isId('ep', id) ? await findEndpoint(db, id, reach) : null;
    if (row === null) throw new DomainError('not_found', notFound);
    return row;
  };
  return router
    .openapi(
      createEndpoint,
      async (c) => {
        const { accountId } = requireScope(c, 'run');
        const body = await readJsonBody(c, EndpointBodySchema, (given) => endpointFaults(given, deps));
        const row = await store(deps, accountId, body);
        const view = viewEndpoint(row, deps.publicUrl);
        return c.json(view, 201, { Location: view.links.self });
      },
      refuse(createEndpoint),
    )
    .openapi(
      listEndpointsRoute,
      async (c) => {
        const { accountId } = requireScope(c, 'run');
        const rows = await listEndpoints(db, accountId);
        return c.json({ data: rows.map((row) => viewEndpoint(row, deps.publicUrl)), next_cursor: null }, 200);
      },
      refuse(listEndpointsRoute),
    )
    .openapi(
      getEndpoint,
      async (c) => c.json(viewEndpoint(await find(reachOf(c, 'run'), c.req.valid('param').id), deps.publicUrl), 200),
      refuse(getEndpoint),
    )
    .openapi(
      removeEndpointRoute,
      removeOwned(deps, {
        path: '/v1/endpoints',
        prefix: 'ep',
        scope: 'run',
        act: 'endpoint_removed',
        notFound,
        remove: removeEndpoint,
      }),
      refuse(removeEndpointRoute),
    )
    .openapi(
      checkEndpointRoute,
      async (c) => c.json(await checkEndpoint(deps, await find(reachOf(c, 'run'), c.req.valid('param').id)), 200),
      refuse(checkEndpointRoute),
    )
    .openapi(
      approveEndpointRoute,
      async (c) => {
        requireScope(c, 'admin');
        const row = await find(null, c.req.valid('param').id);
        const audit = auditOf(c, 'endpoint_approved');
        await transact(db, async (tx) => {
          await verifyEndpoint(tx, row.id, 'admin');
          await audit(tx, row.id);
        });
        return c.json(viewEndpoint(await find(null, row.id), deps.publicUrl), 200);
      },
      refuse(approveEndpointRoute),
    )
    .openapi(
      proveEndpointRoute,
      async (c) => {
        const row = await find(reachOf(c, 'run'), c.req.valid('param').id);
        if (row.verifiedBy === null) await proveEndpoint(deps, row);
        return c.json(viewEndpoint(await find(null, row.id), deps.publicUrl), 200);
      },
      refuse(proveEndpointRoute),
    );
}
