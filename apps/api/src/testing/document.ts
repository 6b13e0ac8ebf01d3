import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { type Answer, type ApiDocument, isReference, type Reference } from '../document/types.ts';

/** The committed document. */
export const readDocument = (): ApiDocument =>
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as ApiDocument;

/** Resolves a reference within the document; undefined if it leads nowhere. */
export function resolve(document: ApiDocument, { $ref }: Reference): unknown {
  const parts = $ref
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce<unknown>((found, part) => (found as Record<string, unknown> | undefined)?.[part], document);
}

/** The value, or the target of a reference. */
export const follow = <T extends object>(document: ApiDocument, value: T | Reference): T =>
  isReference(value) ? (resolve(document, value) as T) : (value as T);

export const answersOf = (document: ApiDocument, responses: Record<string, Answer | Reference>) =>
  Object.entries(responses).map(([status, answer]) => [status, follow(document, answer)] as const);

/** All objects within a value, including the value. */
export function* walk(value: unknown): Generator<Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* walk(inner);
}

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const root = 'document';

/** Closes a schema against undocumented properties: everything that the service sends must be documented. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (!isSchema(schema)) return schema;
  const { $ref, properties, items, prefixItems, additionalProperties, allOf, anyOf, oneOf, ...rest } = schema;
  const closed: Schema = {
    ...rest,
    ...($ref !== undefined && { $ref: `${root}${$ref}` }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(open) }),
    ...(isSchema(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, close(value)])),
    }),
    ...(items !== undefined && { items: close(items) }),
    ...(prefixItems !== undefined && { prefixItems: close(prefixItems) }),
    ...(additionalProperties !== undefined && { additionalProperties: close(additionalProperties) }),
    ...(anyOf !== undefined && { anyOf: close(anyOf) }),
    ...(oneOf !== undefined && { oneOf: close(oneOf) }),
  };
  const isObject = properties !== undefined || '$ref' in schema || 'allOf' in schema;
  return isObject && additionalProperties === undefined ? { ...closed, unevaluatedProperties: false } : closed;
}

/** The schema around an `allOf` closes its parts together; separately, each would reject the others' fields. */
function open(schema: unknown): Schema {
  const { unevaluatedProperties: _, ...opened } = close(schema) as Schema;
  return opened;
}

/** Validates values against schemas of a document. Returns error messages; none if the value is valid. */
export function createChecker(document: ApiDocument): (schema: Schema, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { ...fullFormats, binary: true } });
  const entries = Object.entries(document.components.schemas ?? {});
  // Closed only where they are used, so that a part of an `allOf` stays open.
  const schemas = Object.fromEntries(entries.map(([name, schema]) => [name, open(schema)]));
  ajv.addSchema({ $id: root, components: { schemas } });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(close(schema) as Schema);
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}
