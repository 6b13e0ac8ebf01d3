import { z } from '@hono/zod-openapi';
import {
  type Addition,
  AdditionIdSchema,
  type AdditionKind,
  additionKinds,
  type FactsKind,
  factSchemas,
  factsKind,
  fromJsonFacts,
  toJsonFacts,
} from '@inferboard/core/catalogue/additions/additions';
import { NameSchema } from '@inferboard/core/text/text';

const aliasesMax = 50;

/** The schema of facts with their JSON names. */
const inJson = (of: FactsKind) => z.strictObject(toJsonFacts(factSchemas[of].shape) as z.core.$ZodLooseShape);

const factsInJson: Record<FactsKind, z.ZodObject> = {
  model: inJson('model'),
  derivative: inJson('derivative'),
  gpu: inJson('gpu'),
  quantization: inJson('quantization'),
  engine: inJson('engine'),
};

const kind = z.enum(additionKinds, { error: `must be one of ${additionKinds.join(', ')}` });
const aliases = z
  .array(NameSchema)
  .max(aliasesMax, `must be at most ${aliasesMax} names`)
  .describe('Other names of the entry, as tools and people write them.');

const FieldsSchema = z.strictObject({
  kind,
  id: AdditionIdSchema.describe('Id of the new entry, or of the entry to add names to.'),
  facts: z.record(z.string(), z.unknown()).optional(),
  aliases: aliases.default([]),
});

const isWhole = (value: unknown): value is z.output<typeof FieldsSchema> => {
  const { kind: given, facts } = (value ?? {}) as { kind?: unknown; facts?: unknown };
  return additionKinds.some((known) => known === given) && (facts === undefined || isRecord(facts));
};
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const factsSchemaOf = (of: AdditionKind, facts: object) => factsInJson[factsKind(of, facts)];

export const AdditionBodySchema = FieldsSchema.superRefine(
  ({ kind: of, facts, aliases: names }, ctx) => {
    if (facts === undefined) {
      if (Array.isArray(names) && names.length > 0) return;
      const message = 'Add facts to create an entry, or aliases to add names to an existing one.';
      ctx.addIssue({ code: 'custom', params: { fault: { code: 'value_invalid', pointer: '/facts', message } } });
      return;
    }
    const { error } = factsSchemaOf(of, facts).safeParse(facts);
    for (const issue of error?.issues ?? [])
      ctx.addIssue({ ...issue, input: undefined, path: ['facts', ...issue.path] } as z.core.$ZodRawIssue);
  },
  // Checked even if other fields are invalid, so that one response lists all errors.
  { when: ({ value }) => isWhole(value) },
);

/** Converts a request body to a catalogue addition. */
export function toAddition({ kind: of, id, facts, aliases: names }: z.output<typeof AdditionBodySchema>): Addition {
  const own = facts === undefined ? null : fromJsonFacts(factsSchemaOf(of, facts).parse(facts));
  return { kind: of, id, facts: own, aliases: names };
}

/** The same for the document, with the facts of each kind. */
const documented = z.union([
  ...(Object.keys(factsInJson) as FactsKind[]).map((of) =>
    FieldsSchema.extend({ kind: z.literal(of === 'derivative' ? 'model' : of), facts: factsInJson[of] }),
  ),
  FieldsSchema.omit({ facts: true }).extend({ aliases: aliases.min(1) }),
]);
export const additionDocument = z.toJSONSchema(documented, { io: 'input' }) as object;

/** Shown in the reference. */
export const additionExamples = {
  gpu: {
    kind: 'gpu',
    id: 'frobnicator-8000',
    facts: {
      name: 'Acme Frobnicator 8000',
      vendor: 'amd',
      architecture: 'Frob',
      form_factor: 'PCIe',
      memory_gb: 96,
      memory_type: 'HBM3',
      memory_bandwidth_gbs: 2000,
      tflops_dense: { bf16: 300, fp8: 600 },
      tdp_w: 400,
    },
    aliases: ['Frobnicator 8k'],
  },
  model: {
    kind: 'model',
    id: 'acme-tune-8b',
    facts: { name: 'Acme Tune 8B', developer: 'Acme', base: 'llama-3.1-8b' },
  },
  names: { kind: 'gpu', id: 'h100-sxm', aliases: ['Acme cloud card'] },
} as const;

const HeldSchema = z
  .object({
    results: z.number().int(),
    submissions: z.number().int(),
    names: z.array(z.string()).openapi({ description: 'The name as written.' }),
    link: z.string().nullable().openapi({ description: 'Lists these names for review; null if no result is held.' }),
  })
  .openapi({ description: 'Held results whose names now resolve to this entry.' });

export const AdditionSchema = z
  .object({
    id: z.string(),
    kind: z.enum(additionKinds),
    entry: z.string().openapi({ description: 'Id of the entry in the catalogue.' }),
    facts: z.record(z.string(), z.unknown()).nullable().openapi({ description: 'Null if only names were added.' }),
    aliases: z.array(z.string()),
    added_by: z.object({ id: z.string(), name: z.string() }),
    created_at: z.string(),
    held: HeldSchema,
  })
  .openapi('CatalogueAddition', {
    description: 'An entry, or names of an entry, that an admin added to the catalogue.',
  });

export const AdditionsSchema = z.object({ data: z.array(AdditionSchema) }).openapi('CatalogueAdditions');
