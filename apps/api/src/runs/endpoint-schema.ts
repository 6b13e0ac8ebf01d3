import { z } from '@hono/zod-openapi';
import { factNameSchema } from '@inferboard/core/submission/resolve/check-names';
import { NameSchema } from '@inferboard/core/text/text';
import { checkProblems, statusClasses } from './ask-endpoint.ts';

const count = (what: string) =>
  z
    .int(`must be a whole number of ${what}`)
    .min(1, 'must be at least 1')
    .max(100_000, 'must be at most 100000')
    .optional();

/** Facts of a served system other than its model, named like the parameters of a submission. */
const factShape = {
  gpu: factNameSchema('gpu').optional().describe('GPU by name or catalogue id.'),
  gpu_count: count('GPUs').describe('GPUs used.'),
  gpu_power_limit_w: z
    .number('must be a number of watts')
    .positive('must be above 0')
    .max(1e6, 'must be at most 1000000')
    .optional()
    .describe('Power limit set on each GPU, in watts.'),
  quantization: factNameSchema('quantization').optional().describe('Weight format: bf16, fp8, Q4_K_M ...'),
  engine: factNameSchema('engine').optional().describe('Serving software: vllm, sglang, llama.cpp ...'),
  engine_version: factNameSchema('engine_version').optional().describe('Version of the serving software.'),
  tensor_parallel: count('GPUs').describe('Tensor-parallel width.'),
};

const perDay = (what: string) =>
  z
    .int(`must be a whole number of ${what}`)
    .min(1, 'must be at least 1')
    .max(Number.MAX_SAFE_INTEGER, `must be at most ${Number.MAX_SAFE_INTEGER}`)
    .optional();

export const EndpointBodySchema = z.strictObject({
  name: NameSchema.describe('A name, unique within the account.'),
  base_url: z
    .string('must be a URL')
    .min(1, 'must not be empty')
    .max(2000, 'must have at most 2000 characters')
    .meta({ format: 'uri', pattern: '^https?://[^?#@\\s]*$' })
    .describe('Base URL of the OpenAI-compatible API, with or without /v1: https://llm.example.com/v1'),
  metrics_url: z
    .string('must be a URL')
    .min(1, 'must not be empty')
    .max(2000, 'must have at most 2000 characters')
    .meta({ format: 'uri', pattern: '^https?://[^#@\\s]*$' })
    .optional()
    .describe(
      'Prometheus metrics of the server, at the origin of base_url. Runs read them twice a second and publish queue, KV-cache use and preemptions.',
    ),
  model: factNameSchema('model').describe('Name of the model on the server.'),
  api_key: z
    .string('must be text')
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable ASCII characters without spaces')
    .optional()
    .describe('Credential of the server, sent as `Authorization: Bearer`. Stored encrypted and never shown again.'),
  budget: z
    .strictObject(
      {
        requests_per_day: perDay('requests').describe('Requests of any kind.'),
        tokens_per_day: perDay('tokens').describe('Input and output tokens.'),
      },
      // Unknown fields have a separate message.
      { error: ({ code }) => (code === 'invalid_type' ? 'must be an object' : undefined) },
    )
    .optional()
    .describe('Limits of managed runs per day (UTC). Default: no limit.'),
  ...factShape,
  unknown_facts: z
    .literal('keep', 'must be "keep"')
    .optional()
    .describe(
      'Set `keep` to register a GPU, engine or quantization that the catalogue does not have yet. Results with an unknown GPU or engine are held for review.',
    ),
});

export type EndpointBody = z.output<typeof EndpointBodySchema>;

const endpointFacts = z.object({
  gpu: z.string().nullable(),
  gpu_count: z.number().int().nullable(),
  gpu_power_limit_w: z.number().nullable(),
  quantization: z.string().nullable(),
  engine: z.string().nullable(),
  engine_version: z.string().nullable(),
  tensor_parallel: z.number().int().nullable(),
});

const EndpointFactsSchema = endpointFacts.openapi('EndpointFacts', {
  description: 'The served system as its owner states it; null if not stated.',
});

/** The facts of an endpoint in a run, which its account can read. */
export const RunEndpointFactsSchema = endpointFacts.nullable().openapi('RunEndpointFacts', {
  description:
    'The served system as its owner states it; null if not stated. Public responses have none: the results name the system.',
});

export const EndpointSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    base_url: z.string(),
    metrics_url: z
      .string()
      .nullable()
      .openapi({ description: 'Prometheus metrics that runs read; null if they read none.' }),
    model: z.string(),
    facts: EndpointFactsSchema,
    has_api_key: z.boolean(),
    verified: z
      .object({ by: z.enum(['proof', 'admin']), at: z.string() })
      .nullable()
      .openapi({ description: 'How control of it was verified; null until it is.' }),
    proof: z
      .object({ url: z.string(), token: z.string() })
      .openapi({ description: 'To prove control, serve the token at this URL, on a separate line.' }),
    budget: z
      .object({ requests_per_day: z.number().int().nullable(), tokens_per_day: z.number().int().nullable() })
      .openapi({ description: 'Daily limits (UTC) set by its account; null if there are none.' }),
    limits: z.object({ concurrency_max: z.number().int(), requests_per_day: z.number().int() }).nullable().openapi({
      description: 'Limits for the server of an unproven endpoint, for all accounts together; null if there are none.',
    }),
    created_at: z.string(),
    links: z.object({ self: z.string() }),
  })
  .openapi('Endpoint');

export const EndpointCheckSchema = z
  .object({
    reachable: z.boolean().openapi({ description: 'Whether it returned a list of models.' }),
    status: z.enum(statusClasses).nullable().openapi({
      description: 'Class of the HTTP status of the response; null if there was none.',
    }),
    problem: z.enum(checkProblems).nullable().openapi({
      description:
        'Why there is no list of models. No other detail of the response or the failure is reported. `no answer` can also mean that this service does not call the URL.',
    }),
    serves_model: z.boolean().nullable().openapi({
      description: 'Whether the registered model is in the list, by exact id; null if there is no list.',
    }),
    checked_at: z.string(),
  })
  .openapi('EndpointCheck');
