import { type ApiDocument, isReference, type Reference } from '../document/types.ts';

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maximum nesting of properties in an outline. The reference describes the rest. */
const depthMax = 3;

function follow(document: ApiDocument, { $ref }: Reference): Schema {
  const found = document.components.schemas?.[$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`The document has no ${$ref}.`);
  return found as Schema;
}

const mapOf = (value: Schema, change: (schema: Schema) => Schema) =>
  Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, change(schema as Schema)]));

/** A schema without references, and without properties below `depth`. Only the first two levels keep their descriptions. */
function outline(document: ApiDocument, schema: Schema, depth: number): Schema {
  if (isReference(schema)) return outline(document, follow(document, schema), depth);
  const { type, properties, required, items, anyOf, allOf, description, additionalProperties } = schema;
  if (Array.isArray(allOf))
    return Object.assign({}, ...allOf.map((part: Schema) => outline(document, part, depth))) as Schema;
  const within = (part: Schema) => outline(document, part, depth);
  return {
    ...(type !== undefined && { type }),
    ...(typeof description === 'string' && depth < 2 && { description }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(within) }),
    ...(isSchema(items) && { items: within(items) }),
    ...(isSchema(properties) &&
      depth < depthMax && {
        properties: mapOf(properties, (part) => outline(document, part, depth + 1)),
        ...(required !== undefined && { required }),
      }),
    ...(isSchema(additionalProperties) && { additionalProperties: within(additionalProperties) }),
  };
}

/**
 * The JSON Schema of an operation's 200 response, short enough for an agent: every response validates against it, and it has no
 * references.
 */
export function outlineAnswer(document: ApiDocument, operationId: string): { type: 'object' } & Schema {
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const answer = operation.operationId === operationId ? operation.responses['200'] : undefined;
    if (answer === undefined || isReference(answer)) continue;
    const schema = answer.content?.['application/json']?.schema;
    if (schema !== undefined) return { ...outline(document, schema, 0), type: 'object' };
  }
  throw new Error(`No operation ${operationId} answers with JSON.`);
}
