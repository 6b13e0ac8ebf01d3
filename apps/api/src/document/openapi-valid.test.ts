import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { documentFile } from './committed.ts';
import type { Answer, ApiDocument, Operation, Parameter } from './types.ts';

// Validates the document with the published schema of OpenAPI 3.1, which viewers and client generators follow.

const text = readFileSync(documentFile, 'utf8');
const faultsOf = async (document: object) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document as Record<string, unknown>);
  return { version: validator.version, faults: valid ? [] : [errors].flat() };
};

it('is valid against the published schema of OpenAPI 3.1', async () => {
  expect(await faultsOf(JSON.parse(text) as object)).toEqual({ version: '3.1', faults: [] });
});

const first = ({ paths }: ApiDocument): Operation => {
  const operation = Object.values(paths['/v1/results'] ?? {})[0];
  if (operation === undefined) throw new Error('the document lacks /v1/results');
  return operation;
};
const omit = (value: object | undefined, name: string) => Reflect.deleteProperty(value ?? {}, name);

// Guards against a validator that accepts everything.
it.each<[string, (document: ApiDocument) => unknown]>([
  ['no title', (document) => omit(document, 'info')],
  ['a path without a leading slash', ({ paths }) => Object.assign(paths, { results: {} })],
  ['an invalid method', ({ paths }) => Object.assign(paths['/v1/results'] ?? {}, { fetch: {} })],
  ['a misspelt "responses" field', (document) => Object.assign(first(document), { answers: {} })],
  ['a response without a description', (document) => omit(first(document).responses['200'], 'description')],
  ['an invalid status', (document) => Object.assign(first(document).responses, { ok: { description: 'Good.' } })],
  [
    'an invalid parameter location',
    (document) => first(document).parameters?.push({ name: 'x', schema: {} } as unknown as Parameter),
  ],
  [
    'a body with both kinds of examples',
    (document) => {
      const [media] = Object.values((first(document).responses['200'] as Answer).content ?? {});
      return Object.assign(media ?? {}, { example: 1, examples: { one: { value: 1 } } });
    },
  ],
  ['an invalid reference', (document) => first(document).parameters?.push({ $ref: '#/components/parameters/none' })],
])('is invalid with %s', async (_, damage) => {
  const document = JSON.parse(text) as ApiDocument;
  damage(document);
  expect((await faultsOf(document)).faults).not.toEqual([]);
});
