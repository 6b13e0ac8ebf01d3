import { readFileSync } from 'node:fs';
import {
  type Document,
  expand,
  isRepeatable,
  type Operation,
  resolve,
  type Schema,
} from '../contract-fuzz/document.ts';

/** The committed document of the API, without references to parameters and answers. */
export const readDocument = (): Document =>
  expand(JSON.parse(readFileSync(new URL('../../apps/api/openapi.json', import.meta.url), 'utf8')) as Document);

/** A place in a request where a caller writes text of their own. */
export interface TextField {
  operation: Operation;
  place: 'query' | 'path' | 'header' | 'body';
  /** Of a body the way to it, as a JSON pointer; `[]` stands for any place of a list. */
  name: string;
  isRepeatable: boolean;
}

const isOfText = ({ type, enum: words, const: word }: Schema) =>
  [type].flat().includes('string') && words === undefined && word === undefined;

/** Pointers to all text within a value of this schema. */
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

/** Every text field of an operation, as the document tells it: a new one is there by itself. */
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

/** A body with a text at a place of it; what is on the way there is made. */
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
