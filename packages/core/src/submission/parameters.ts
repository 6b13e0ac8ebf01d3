import { z } from 'zod';
import { adapters } from '../adapters/index.ts';

/** Longest name a caller may give: model, GPU, quantization, engine ... */
export const nameLengthMax = 200;

// Control characters and bidirectional overrides can make a name look like another one.
const hostile = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const isWellFormed = (text: string) => !/[\ud800-\udfff]/u.test(text);

const name = z
  .string()
  .transform((text) => text.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .max(nameLengthMax, `must have at most ${nameLengthMax} characters`)
      .refine((text) => !hostile.test(text) && isWellFormed(text), 'must be plain text without control characters'),
  );

const whole = (most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,12}$/, 'must be a whole number, such as 8')
    .transform(Number)
    .pipe(z.number().min(1).max(most));

const watts = z
  .string()
  .regex(/^[0-9]{1,6}(\.[0-9]{1,3})?$/, 'must be a number of watts, such as 450')
  .transform(Number)
  .pipe(z.number().positive());

const tokens = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be a whole number of tokens, such as 1024')
  .transform(Number);

/**
 * What a caller may say about an artifact beside its bytes, all of it as text: query parameters or form fields. The
 * word `unspecified` says explicitly that a required fact is not given.
 */
export const parameterShape = {
  model: name.optional().describe('Model as you call it: a hub name, a file name, an alias.'),
  quantization: name.optional().describe('Weight format: bf16, fp8, Q4_K_M, w8a16_awq ...'),
  gpu: name.optional().describe('GPU by name or catalogue id; a leading or trailing count is read: "8xH100".'),
  gpu_count: whole(100_000).optional().describe('GPUs used.'),
  gpu_power_limit_w: watts.optional().describe('Power limit set on each GPU, in watts.'),
  engine: name
    .optional()
    .describe("Serving software: vllm, sglang, llama.cpp ... A file's `backend` is a protocol, not this."),
  engine_version: name.optional().describe('Version of the serving software.'),
  tensor_parallel: whole(100_000).optional().describe('Tensor-parallel width.'),
  scenario: name.optional().describe('Named scenario, such as chatbot or decode-bound.'),
  input_tokens: tokens.optional().describe('Prompt tokens per request.'),
  output_tokens: tokens.optional().describe('Generated tokens per request.'),
  dataset: name.optional().describe('Data set the prompts came from.'),
  tool: z
    .string()
    .max(nameLengthMax)
    .optional()
    .describe(`Skips detection: ${adapters.map((adapter) => adapter.id).join(', ')}.`),
  notes: z
    .string()
    .max(4000, 'must have at most 4000 characters')
    .refine((text) => !text.includes('\u0000') && isWellFormed(text), 'must be plain text')
    .optional()
    .describe('Anything a reader should know. Plain text.'),
  source_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2000)
    .optional()
    .describe('Where the artifact was published, if it was.'),
  measured_at: z.iso
    .datetime({ offset: true, error: 'must be an RFC 3339 time, such as 2026-11-21T12:00:00Z' })
    .optional()
    .describe('When it was measured.'),
} as const;

export type Parameters = z.output<z.ZodObject<typeof parameterShape>>;
