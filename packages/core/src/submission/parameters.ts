import { z } from 'zod';
import { statedUnits } from '../adapters/adapter.ts';
import { tools } from '../adapters/tools.ts';
import { holdsCredential } from '../credentials.ts';
import { FeaturesSchema } from '../subjects/features.ts';
import { loadModes } from '../subjects/load.ts';
import { sourceParameters } from '../subjects/source.ts';
import { InstantSchema } from '../text/instant.ts';
import { NameSchema, nameLengthMax, proseSchema } from '../text/text.ts';
import { SourceUrlSchema } from './source-url.ts';

const whole = (most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,12}$/, 'must be a whole number, such as 8')
    .transform(Number)
    .pipe(z.number().min(1, 'must be at least 1').max(most, `must be at most ${most}`))
    .meta({ type: 'integer', minimum: 1, maximum: most });

const watts = z
  .string()
  .regex(/^[0-9]{1,6}(\.[0-9]{1,20})?$/, 'must be a number of watts, such as 450')
  .transform(Number)
  .pipe(z.number().positive('must be above 0'))
  .meta({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e6 });

const tokens = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be a whole number of tokens, such as 1024')
  .transform(Number)
  .meta({ type: 'integer', minimum: 0, maximum: 999_999_999 });

/**
 * Facts that a caller can state about an artifact, all as text: query parameters or form fields. The value `unspecified`
 * states explicitly that a required fact is not disclosed.
 */
export const parameterShape = {
  model: NameSchema.optional().describe('Name of the model: a hub name, a file name, an alias.'),
  quantization: NameSchema.optional().describe('Weight format: bf16, fp8, Q4_K_M, w8a16_awq ...'),
  gpu: NameSchema.optional().describe(
    'GPU by name or catalogue id; a leading or trailing count is recognised: "8xH100".',
  ),
  gpu_count: whole(100_000).optional().describe('GPUs used.'),
  gpu_power_limit_w: watts.optional().describe('Power limit set on each GPU, in watts.'),
  engine: NameSchema.optional().describe(
    'Serving software: vllm, sglang, llama.cpp ... The backend in a file may be only the protocol.',
  ),
  engine_version: NameSchema.optional().describe('Version of the serving software.'),
  tensor_parallel: whole(100_000).optional().describe('Tensor-parallel width.'),
  load_mode: z
    .enum(loadModes, { error: `must be one of ${loadModes.join(', ')}` })
    .optional()
    .describe('How the load was generated, if the artifact does not state it. Requires load_level.'),
  load_level: z
    .string()
    .regex(/^[0-9]{1,9}(\.[0-9]{1,20})?$/, 'must be a number above 0, such as 32')
    .transform(Number)
    .pipe(z.number().positive('must be above 0'))
    .meta({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e9 })
    .optional()
    .describe('Requests in flight, requests at once, requests per second or batch size, depending on load_mode.'),
  scenario: NameSchema.optional().describe('Named scenario, such as chatbot or decode-bound.'),
  input_tokens: tokens.optional().describe('Prompt tokens per request.'),
  output_tokens: tokens.optional().describe('Generated tokens per request.'),
  dataset: NameSchema.optional().describe('Data set the prompts came from.'),
  tool: z
    .string()
    .max(nameLengthMax)
    .optional()
    .describe(`Skips detection: ${tools.map(({ id }) => id).join(', ')}.`),
  unit: z
    .enum(statedUnits, { error: `must be one of ${statedUnits.join(', ')}` })
    .optional()
    .describe("The unit of the figures, if the tool does not print it (Triton's perf_report)."),
  notes: proseSchema(4000)
    .refine((text) => !holdsCredential(text), 'must not contain a key or token: notes are public')
    .optional()
    .describe('Additional information for readers. Plain text.'),
  source_url: SourceUrlSchema.optional().describe('Where the artifact was published, if it was.'),
  measured_at: InstantSchema.optional().describe('When it was measured.'),
} as const;

/** Additional parameters of an operator's import. */
export const importShape = {
  ...parameterShape,
  ...sourceParameters,
  features: FeaturesSchema.optional(),
} as const;

export type Parameters = z.output<z.ZodObject<typeof parameterShape>> &
  Partial<Omit<z.output<z.ZodObject<typeof importShape>>, keyof typeof parameterShape>>;
