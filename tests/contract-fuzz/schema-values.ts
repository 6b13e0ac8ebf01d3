import fc, { type Arbitrary } from 'fast-check';
import { type Document, resolve, type Schema } from './document.ts';

/** Text that a normal client sends. Constraints that the document cannot express are tested by the invalid requests. */
const plainText = ({ minLength = 0, maxLength = 40 }: Schema): Arbitrary<string> => {
  const length = { minLength: Math.max(minLength, 1), maxLength: Math.min(maxLength, 40) };
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_. /:éßü模型');
  // Leading and trailing blanks are ignored, and a name cannot consist of punctuation only.
  return fc
    .string({ unit: letter, ...length })
    .map((text) => (/[\p{L}\p{N}]/u.test(text) ? text : 'a'.repeat(length.minLength)));
};

const texts: Record<string, (schema: Schema) => Arbitrary<unknown>> = {
  'date-time': () =>
    fc
      .date({ min: new Date('1971-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  uri: () => fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
};

function numbers({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): Arbitrary<number> {
  const scale = type === 'integer' ? 1 : 1000;
  const step = 1 / scale;
  const low = minimum ?? (exclusiveMinimum === undefined ? -1e6 : exclusiveMinimum + step);
  const high = maximum ?? (exclusiveMaximum === undefined ? 1e6 : exclusiveMaximum - step);
  const bound = (value: number) => Math.min(Math.max(value, -1e9), 1e9);
  const whole = fc.integer({ min: Math.ceil(bound(low) * scale), max: Math.floor(bound(high) * scale) });
  const small = fc.integer({
    min: Math.ceil(bound(low)),
    max: Math.floor(Math.min(bound(high), Math.max(bound(low), 0) + 64)),
  });
  return fc.oneof(
    small,
    whole.map((value) => value / scale),
    fc.constantFrom(low, high),
  );
}

/**
 * Values that a schema of the document allows.
 *
 * @throws Error for a keyword that the fuzz test does not support
 */
export function valuesOf(given: Schema, document: Document): Arbitrary<unknown> {
  const schema = resolve(given, document);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(choice, document)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string': {
      const format = texts[schema.format ?? ''];
      if (format !== undefined) return format(schema);
      return schema.pattern === undefined ? plainText(schema) : fc.stringMatching(new RegExp(schema.pattern));
    }
    case 'integer':
    case 'number':
      return numbers({ ...schema, type });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 4 } = schema;
      const length = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(minItems, 4)) };
      const item = valuesOf(items, document);
      return items.enum === undefined
        ? fc.array(item, length)
        : fc.uniqueArray(item, { ...length, maxLength: Math.min(length.maxLength, items.enum.length) });
    }
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const fields = Object.entries(properties).map(
        ([name, property]) => [name, valuesOf(property, document)] as const,
      );
      return fc.record(Object.fromEntries(fields), { requiredKeys: required });
    }
    default:
      throw new Error(`no values for the schema ${JSON.stringify(schema).slice(0, 200)}`);
  }
}
