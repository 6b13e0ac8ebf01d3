import { readFileSync } from 'node:fs';
import {
  type Document,
  expand,
  isRepeatable,
  type Operation,
  resolve,
  type Schema,
} from '../contract-fuzz/document.ts';

/** The committed OpenAPI document, with references to parameters and responses resolved. */
export const readDocument = (): Document =>
  expand(JSON.parse(readFileSync(new URL('../../apps/api/openapi.json', import.meta.url), 'utf8')) as Document);

/** A place for user text in a request. */
export interface TextField {
  operation: Operation;
  place: 'query' | 'path' | 'header' | 'body';
  /** For a body: its JSON pointer; `[]` is any element of a list. */
  name: string;
  isRepeatable: boolean;
}

const isOfText = ({ type, enum: words, const: word }: Schema) =>
  [type].flat().includes('string') && words === undefined && word === undefined;

/** Pointers to all strings in values of this schema. */
function pointersOf(schema: Schema, document: Document, at = ''): string[] {
  const given = resolve(schema, document);
  const inner = [
    ...[given.anyOf, given.oneOf, given.allOf].flatMap((some) => (some ?? []).map((one) => [at, one] as const)),
    ...Object.entries(given.properties ?? {}).map(([name, one]) => [`${at}/${name}`, one] as const),
    ...(given.items === undefined ? [] : [[`${at}/[]`, given.items] as const]),
    ...(typeof given.additionalProperties === 'object' ? [[`${at}/*`, given.additionalProperties] as const] : []),
  ];
  const found = inner.flatMap(([pointer, one]) => pointersOf(one, document, pointer));
  return [...new Set(isOfText(given) ? [at, ...found] : found)];
}

/** All text fields of an operation, from the document, so that new ones are included automatically. */
export function textFieldsOf(operation: Operation, document: Document): TextField[] {
  const { parameters, requestBody } = operation;
  const ofParameters = parameters
    .filter(({ schema }) => pointersOf(schema, document).length > 0)
    .map((parameter): TextField => {
      const { in: place, name } = parameter;
      return { operation, place, name, isRepeatable: place === 'query' && isRepeatable(parameter) };
    });
  const body = requestBody?.content['application/json']?.schema;
  const ofBody = (body === undefined ? [] : pointersOf(body, document)).map(
    (name): TextField => ({ operation, place: 'body', name, isRepeatable: false }),
  );
  return [...ofParameters, ...ofBody];
}

/** Sets a text at a pointer of a body; creates missing parents. */
export function putText(body: unknown, pointer: string, text: string): unknown {
  const [, step, ...rest] = pointer.split('/');
  if (step === undefined) return text;
  const below = rest.length === 0 ? '' : `/${rest.join('/')}`;
  if (step === '[]') {
    const [first, ...others] = Array.isArray(body) ? body : [undefined];
    return [putText(first, below, text), ...others];
  }
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  return { ...fields, [step]: putText(fields[step], below, text) };
}
