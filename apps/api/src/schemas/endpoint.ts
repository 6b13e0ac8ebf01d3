import { z } from '@hono/zod-openapi';
import { factNameSchema } from '@inferboard/core/submission/check-names';
import { NameSchema } from '@inferboard/core/text';
import { checkProblems, statusClasses } from '../actions/ask-endpoint.ts';

const count = (what: string) =>
  z
    .int(`must be a whole number of ${what}`)
    .min(1, 'must be at least 1')
    .max(100_000, 'must be at most 100000')
    .optional();

/** What is told of a served system, beside its model; the words are those of a submission's parameters. */
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
  name: NameSchema.describe('As you call it; one of this name an account.'),
  base_url: z
    .string('must be an address')
    .min(1, 'must not be empty')
    .max(2000, 'must have at most 2000 characters')
    .meta({ format: 'uri', pattern: '^https?://[^?#@\\s]*$' })
    .describe('Where the server speaks the OpenAI dialect, with or without /v1: https://llm.example.com/v1'),
  model: factNameSchema('model').describe('Model as the server calls it.'),
  api_key: z
    .string('must be text')
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable ASCII characters without blanks')
    .optional()
    .describe('Credential of the server, sent as `Authorization: Bearer`. Kept encrypted and never shown again.'),
  budget: z
    .strictObject(
      {
        requests_per_day: perDay('requests').describe('Requests, of whatever kind.'),
        tokens_per_day: perDay('tokens').describe('Tokens, in and out.'),
      },
      // An unknown field has words of its own.
      { error: ({ code }) => (code === 'invalid_type' ? 'must be an object' : undefined) },
    )
    .optional()
    .describe('What managed runs may ask of it on a day (UTC); left away: as much as they need.'),
  ...factShape,
});

export type EndpointBody = z.output<typeof EndpointBodySchema>;

export const EndpointSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    base_url: z.string(),
    model: z.string(),
    facts: z.object({
      gpu: z.string().nullable(),
      gpu_count: z.number().int().nullable(),
      gpu_power_limit_w: z.number().nullable(),
      quantization: z.string().nullable(),
      engine: z.string().nullable(),
      engine_version: z.string().nullable(),
      tensor_parallel: z.number().int().nullable(),
    }),
    has_api_key: z.boolean(),
    verified: z
      .object({ by: z.enum(['proof', 'admin']), at: z.string() })
      .nullable()
      .openapi({ description: 'Who vouches that the account controls it; null until somebody does.' }),
    proof: z
      .object({ url: z.string(), token: z.string() })
      .openapi({ description: 'To prove control: serve the token, on a line of its own, at this address.' }),
    budget: z
      .object({ requests_per_day: z.number().int().nullable(), tokens_per_day: z.number().int().nullable() })
      .openapi({ description: 'What its account lets it be asked on a day (UTC); null where the plan alone limits.' }),
    limits: z.object({ concurrency_max: z.number().int(), requests_per_day: z.number().int() }).nullable().openapi({
      description:
        'What the server of an unproven endpoint may be asked at most, by all accounts together; null where the plan alone limits.',
    }),
    created_at: z.string(),
    links: z.object({ self: z.string() }),
  })
  .openapi('Endpoint');

export const EndpointCheckSchema = z
  .object({
    reachable: z.boolean().openapi({ description: 'It answered with a list of models.' }),
    status: z.enum(statusClasses).nullable().openapi({
      description: 'Class of the HTTP status of its answer; null where there was none.',
    }),
    problem: z.enum(checkProblems).nullable().openapi({
      description:
        'Why there is no list of models. No more than this is told of what the server said, or of why it said nothing; its address may be one that this service does not call.',
    }),
    serves_model: z.boolean().nullable().openapi({
      description: 'Whether the registered model is in the list, by its id to the letter; null where there is no list.',
    }),
    checked_at: z.string(),
  })
  .openapi('EndpointCheck');
