import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeReport } from '../support/hostile.ts';
import { type Media, type Operation, type Parameter, queryOf } from './document.ts';
import { requiredPairs } from './harvest.ts';
import { type Call, Connection, toCurl } from './http.ts';
import { judge } from './judge.ts';
import { Schemas } from './schemas.ts';
import { type FuzzedService, startFuzzedService } from './service.ts';
import { bearer, encode, formOf, formType, idsOf, isOfEndpoint, neededFacts } from './valid.ts';

// People copy examples before they read anything. One that does not work is worse than none.

let service: FuzzedService;
let schemas: Schemas;
let connection: Connection;
beforeAll(async () => {
  service = await startFuzzedService();
  schemas = new Schemas(service.document);
  connection = new Connection(service.url);
});
afterAll(async () => {
  connection?.close();
  await service?.dispose();
});

type Shown = Pick<Media, 'schema' | 'example' | 'examples'>;

/** Every example beside a schema, or in it. */
function shownBy({ schema, example, examples }: Shown): unknown[] {
  const inSchema = [schema?.example, ...(schema?.examples ?? [])];
  return [example, ...Object.values(examples ?? {}).map(({ value }) => value), ...inSchema].filter(
    (value) => value !== undefined,
  );
}

/** Examples of one kind in the whole document, as those that are wrong. */
const collect = (wrongOf: (operation: Operation) => (string | null)[]) =>
  service.operations.flatMap((operation) =>
    wrongOf(operation)
      .filter((wrong) => wrong !== null)
      .map((wrong) => `${operation.operationId}: ${wrong}`),
  );

/** What names a thing of one installation: an example can only show its form. */
const isOfAPlace = ({ name, in: place }: Parameter) =>
  (place === 'path' && name === 'id') || ['system', 'cursor', 'account'].includes(name);

/** The path of an operation on things that are there. */
function pathOf(operation: Operation): string {
  const { path, parameters } = operation;
  const ids = idsOf(service, operation);
  return parameters
    .filter(({ in: place }) => place === 'path')
    .reduce((made, { name, schema }) => made.replace(`{${name}}`, encode(String(schema.enum?.[0] ?? ids[0]))), path);
}

const requiredOf = (operation: Operation) =>
  requiredPairs(operation, service.harvest.values).map(([name, value]): [string, string] => [name, encode(value)]);

function callOf(operation: Operation, over: Partial<Call>): Call {
  const headers = {
    ...(operation.scopes === null ? {} : bearer(service.keys.admin)),
    ...over.headers,
  };
  return {
    method: operation.method,
    path: pathOf(operation),
    query: requiredOf(operation),
    body: null,
    ...over,
    headers,
  };
}

/** Sends it; what is wrong with the answer, which must be a good one. */
async function wrongOf(operation: Operation, call: Call): Promise<string | null> {
  const seen = await connection.send(call);
  const found = judge(schemas, operation, call, seen);
  if (seen.status >= 400) found.push(`a ${seen.status}: ${seen.body.toString().slice(0, 300)}`);
  return found.length === 0
    ? null
    : `${operation.operationId}: ${found.join('; ')}\n  ${toCurl(call, service.url).slice(0, 600)}`;
}

/** The pairs by which a parameter says its example. */
const pairsOf = (name: string, value: unknown): [string, string][] =>
  (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, encode(String(one))]);

/** A form as its example tells it: each field, and the artifact as a file. */
function formOfExample(example: object): Buffer {
  const { artifact, ...fields } = example as Record<string, unknown>;
  return formOf(
    Buffer.from(String(artifact)),
    Object.entries(fields).map(([name, value]) => [name, String(value)]),
  );
}

/** Has a result held back under the name of an example, which is one of one installation. */
async function holdName({ fact, name }: { fact: string; name: string }): Promise<void> {
  const response = await fetch(`${service.url}/v1/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(service.keys.admin) },
    body: nativeReport({ system: { [fact]: name } }),
  });
  expect(response.status).toBe(201);
}

/** What an upload needs beside an artifact that does not tell it. */
const factsOf = ({ requestBody }: Operation): [string, string][] =>
  requestBody?.content['multipart/form-data'] === undefined ? [] : neededFacts.map((name) => [name, 'unspecified']);

describe('every example of the document', () => {
  it('fits its schema', () => {
    const faultsOf = (shown: Shown, schema = shown.schema ?? {}) =>
      shownBy(shown).map((value) => schemas.faultOf(schema, value));
    const bodies = (content: Record<string, Media> = {}) => Object.values(content).flatMap((media) => faultsOf(media));
    const wrong = collect(({ parameters, requestBody, responses }) => [
      ...parameters.flatMap((parameter) => faultsOf(parameter)),
      ...bodies(requestBody?.content),
      ...Object.values(responses).flatMap(({ content }) => bodies(content)),
    ]);
    expect(wrong).toEqual([]);
  });

  it('of a parameter is answered', async () => {
    const wrong: (string | null)[] = [];
    for (const operation of service.operations.filter(({ method }) => method === 'GET')) {
      const required = requiredOf(operation);
      const shown = queryOf(operation)
        .filter((parameter) => !isOfAPlace(parameter) && !required.some(([name]) => name === parameter.name))
        .flatMap((parameter) => shownBy(parameter).map((value) => pairsOf(parameter.name, value)));
      const alone = shown.filter(([[name] = ['']]) => !/^(?:min|max)_/.test(name));
      const bounds = shown.filter(([[name] = ['']]) => /^(?:min|max)_/.test(name));
      // Bounds are many and alike: one request holds them all.
      for (const pairs of [...alone, bounds.flat()])
        wrong.push(await wrongOf(operation, callOf(operation, { query: [...required, ...pairs] })));
    }
    expect(wrong.length).toBeGreaterThan(100);
    expect(wrong.filter((one) => one !== null)).toEqual([]);
  });

  it('of a body is taken', async () => {
    const wrong: (string | null)[] = [];
    const waiting = service.harvest.quarantined.values();
    const open = service.harvest.openConcerns.values();
    for (const operation of service.operations) {
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        for (const shown of shownBy(media)) {
          const [endpoint_id] = service.harvest.ids.endpoints ?? [];
          const value = isOfEndpoint(shown) ? { ...shown, endpoint_id } : shown;
          const isForm = type === 'multipart/form-data' && typeof value === 'object';
          const body = isForm
            ? formOfExample(value as object)
            : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
          const headers = { 'content-type': isForm ? formType : type };
          if (operation.operationId === 'reviewHeldName') await holdName(value as { fact: string; name: string });
          // Each decision is about a submission, or a concern, that still waits for one.
          const path = pathOf(operation)
            .replace(/sub_[0-9a-f]+(?=\/re)/, () => waiting.next().value ?? '')
            .replace(/con_[0-9a-f]+(?=\/)/, () => open.next().value ?? '');
          wrong.push(await wrongOf(operation, callOf(operation, { path, query: factsOf(operation), body, headers })));
        }
      }
    }
    expect(wrong.length).toBeGreaterThan(2);
    expect(wrong.filter((one) => one !== null)).toEqual([]);
  });
});
