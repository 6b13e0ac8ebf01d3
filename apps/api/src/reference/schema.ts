import { type Document, resolve, type Schema } from './document.ts';

/** A field of a body with its full path: `data[].system.id`. */
export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** Tables deeper than this are unreadable. */
const depthMax = 6;

const rangeOf = ({ minimum, maximum }: Schema): string => {
  if (minimum === undefined && maximum === undefined) return '';
  if (maximum === undefined) return ` from ${minimum}`;
  return minimum === undefined ? ` up to ${maximum}` : ` ${minimum} to ${maximum}`;
};

const valuesText = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ');

/** A schema in words: `list of string`, `integer 1 to 200 or null`. */
export function typeText(document: Document, schema: Schema, depth = 0): string {
  const known = resolve(document, schema);
  if (known.const !== undefined) return valuesText([known.const]);
  if (known.enum !== undefined)
    return known.enum.length === 1 ? valuesText(known.enum) : `one of ${valuesText(known.enum)}`;
  const variants = known.anyOf ?? known.oneOf;
  if (variants !== undefined) {
    return [...new Set(variants.map((variant) => typeText(document, variant, depth + 1)))].join(' or ');
  }
  if (known.items !== undefined && depth < depthMax) return `list of ${typeText(document, known.items, depth + 1)}`;
  const types = [known.type ?? 'object'].flat();
  return types.map((type) => (type === 'null' ? type : `${type}${rangeOf(known)}`)).join(' or ');
}

/** All fields of a body, outer before inner; recursive schemas are listed once. */
export function fieldsOf(document: Document, schema: Schema, prefix = '', seen: readonly Schema[] = []): Field[] {
  const known = resolve(document, schema);
  if (seen.includes(known) || seen.length > depthMax) return [];
  const within = [...seen, known];
  const inner = (other: Schema, name: string) => fieldsOf(document, other, name, within);
  const parts = known.anyOf ?? known.oneOf ?? known.allOf;
  if (parts !== undefined) {
    const names = new Set<string>();
    const fields = parts.flatMap((part) => inner(part, prefix));
    return fields.filter(({ name }) => !names.has(name) && names.add(name));
  }
  if (known.items !== undefined) return inner(known.items, `${prefix}[]`);
  return Object.entries(known.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const description = property.description ?? resolve(document, property).description ?? '';
    const isRequired = known.required?.includes(key) ?? false;
    return [{ name, type: typeText(document, property), isRequired, description }, ...inner(property, name)];
  });
}
