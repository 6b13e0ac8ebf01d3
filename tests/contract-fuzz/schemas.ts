import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type Document, resolve, type Schema } from './document.ts';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Merges `allOf` objects into one: separately closed, each would reject the fields of the others. */
function merged(parts: readonly Schema[], document: Document): Schema {
  const all = parts
    .map((part) => resolve(part, document))
    .map((part) => (part.allOf ? merged(part.allOf, document) : part));
  const [first] = all.filter(({ type, $ref }) => type !== undefined || $ref !== undefined);
  // The other keywords only describe it.
  if (all.filter(({ properties }) => properties !== undefined).length < 2 && first !== undefined) return first;
  return {
    type: 'object',
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required = [] }) => required),
  };
}

/** The document with every object with named fields closed: clients cannot rely on undocumented fields. */
function closed(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) return value.map((one) => closed(one, document));
  if (!isObject(value)) return value;
  const { allOf } = value as Schema;
  if (allOf !== undefined) return closed(merged(allOf, document), document);
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one, document)]));
  const isOpen = inner.type === 'object' && isObject(inner.properties) && inner.additionalProperties === undefined;
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

/** Validates values with schemas of the document. */
export class Schemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #document: Document;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    formats.default(this.#ajv);
    this.#document = document;
    const schemas = Object.entries(document.components.schemas);
    for (const [name, schema] of schemas) this.#ajv.addSchema(this.#closed(schema) as object, name);
  }

  /** The schema with its objects closed; references stay by name. */
  #closed(schema: Schema): unknown {
    const text = JSON.stringify(closed(schema, this.#document));
    return JSON.parse(text.replaceAll('"#/components/schemas/', '"'));
  }

  /** The errors of a value under a schema of the document; null if valid. */
  faultOf(schema: Schema, value: unknown): string | null {
    const key = JSON.stringify(schema);
    const validate = this.#compiled.get(key) ?? this.#ajv.compile(this.#closed(schema) as object);
    this.#compiled.set(key, validate);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors?.slice(0, 5), { dataVar: 'body' });
  }
}
