import { z } from 'zod';
import { metricNames } from '../../metrics/index.ts';
import { NativeSchema, namedFields, ResultSchema } from './schema.ts';

type JsonSchema = Record<string, unknown>;

const number = { type: ['number', 'null'] };
const count = { type: ['integer', 'null'], minimum: 0 };

/** Parts that the reader validates without a schema, because there may be hundreds of thousands of them. */
const byHand: Record<string, JsonSchema> = {
  metrics: {
    type: 'object',
    description: 'Values by metric. Null: not measured. A latency without a statistic is its mean.',
    additionalProperties: number,
    examples: [{ ttft_ms_mean: 211, itl_ms_p99: 12.5, output_tok_s: 880 }],
  },
  ranges: {
    type: 'object',
    description: 'Lowest and highest value of metrics for which only the extremes are known.',
    additionalProperties: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
  },
  requests: {
    type: ['array', 'null'],
    description: 'Records of single requests. The service computes the figures from them.',
    items: {
      type: 'object',
      additionalProperties: false,
      properties: {
        sent_s: { ...number, description: 'When it was sent, in seconds since a common start.' },
        input_tokens: count,
        cached_tokens: { ...count, description: "Prompt tokens that came from the server's prefix cache." },
        output_tokens: count,
        max_tokens: count,
        ttft_ms: { ...number, description: 'From sending to the first token.' },
        e2e_ms: { ...number, description: 'From sending to the last token.' },
        itl_ms: {
          type: ['array', 'null'],
          items: { type: 'number' },
          description: 'Gaps between stream chunks after the first.',
        },
        error: { type: ['string', 'null'], description: 'Why it failed; null or empty if it succeeded.' },
      },
    },
  },
  slo: {
    anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: number }, { type: 'null' }],
    description: 'Limits in ms that a request must meet to count towards goodput_req_s, or the id of a preset.',
  },
};

/** Internal schema names of zod, and their replacements in the document. */
function write(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...written } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (!namedFields.has(zodSchema)) return;
      const inner = { ...jsonSchema };
      for (const name of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, name);
      jsonSchema.anyOf = [{ type: 'string', minLength: 1, maxLength: 200 }, inner];
    },
  }) as JsonSchema;
  return written;
}

const describe = (properties: JsonSchema, described: Record<string, JsonSchema>): JsonSchema =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, described[name] ?? schema]));

/** The JSON Schema (2020-12) of a native report, generated from the schemas that read it. */
export function nativeJsonSchema(): JsonSchema {
  const result = write(ResultSchema);
  const report = write(NativeSchema);
  const results = {
    type: 'array',
    minItems: 1,
    maxItems: 10_000,
    items: { ...result, properties: describe(result.properties as JsonSchema, byHand) },
  };
  return {
    ...report,
    title: 'Inferboard native report',
    description: `A report format for tools without an adapter. Metrics: ${metricNames.join(', ')}.`,
    properties: describe(report.properties as JsonSchema, { results }),
  };
}
