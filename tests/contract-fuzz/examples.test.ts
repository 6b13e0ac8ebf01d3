import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeReport } from '../support/hostile.ts';
import { type Media, type Operation, type Parameter, queryOf, takesArtifacts } from './document.ts';
import { requiredPairs } from './harvest.ts';
import { type Call, Connection, toCurl } from './http.ts';
import { judge } from './judge.ts';
import { Schemas } from './schemas.ts';
import { type FuzzedService, startFuzzedService } from './service.ts';
import { bearer, encode, idsOf, isOfEndpoint, neededFacts } from './valid.ts';

// Users copy examples first, so every example must work.

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

/** All examples next to a schema or in it. */
function shownBy({ schema, example, examples }: Shown): unknown[] {
  const inSchema = [schema?.example, ...(schema?.examples ?? [])];
  return [example, ...Object.values(examples ?? {}).map(({ value }) => value), ...inSchema].filter(
    (value) => value !== undefined,
  );
}

/** Examples of one kind in the whole document; returns the invalid ones. */
const collect = (wrongOf: (operation: Operation) => (string | null)[]) =>
  service.operations.flatMap((operation) =>
    wrongOf(operation)
      .filter((wrong) => wrong !== null)
      .map((wrong) => `${operation.operationId}: ${wrong}`),
  );

/** Ids of one installation: an example can only show their format. */
const isOfAPlace = ({ name, in: place }: Parameter) =>
  (place === 'path' && name === 'id') || ['system', 'cursor', 'account'].includes(name);

/** The path of an operation with ids that exist. */
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

/**
 * Secrets that work once are unknown, and a proof is for another account: an example can only show their format.
 *
 * @returns the expected status
 */
function statusOf({ operationId }: Operation, value: unknown): number {
  if (/"ib[cl]_/.test(JSON.stringify(value))) return 404;
  return operationId === 'createSigningKey' ? 422 : 200;
}

/** Sends it and returns the errors in the response, which must be a success or have the expected status. */
async function wrongOf(operation: Operation, call: Call, expected = 200): Promise<string | null> {
  const seen = await connection.send(call);
  const found = judge(schemas, operation, call, seen);
  if (expected === 200 ? seen.status >= 400 : seen.status !== expected)
    found.push(`a ${seen.status}: ${seen.body.toString().slice(0, 300)}`);
  return found.length === 0
    ? null
    : `${operation.operationId}: ${found.join('; ')}\n  ${toCurl(call, service.url).slice(0, 600)}`;
}

/** The name and value pairs of a parameter's example. */
const pairsOf = (name: string, value: unknown): [string, string][] =>
  (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, encode(String(one))]);

/** Parameters that another one needs: the default metric of a trend has only one formula. */
const neededBy = ({ operationId }: Operation, { name }: Parameter): [string, string][] =>
  operationId === 'getTrend' && name === 'definition' ? [['metric', 'decode_tok_s']] : [];

/** Creates a held-back result with the name in an example, which belongs to one installation. */
async function holdName({ fact, name }: { fact: string; name: string }): Promise<void> {
  const response = await fetch(`${service.url}/v1/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(service.keys.admin) },
    body: nativeReport({ system: { [fact]: name } }),
  });
  expect(response.status).toBe(201);
}

/** Facts that an upload needs in addition to its artifact. */
const factsOf = (operation: Operation): [string, string][] =>
  takesArtifacts(operation) ? neededFacts.map((name) => [name, 'unspecified']) : [];

describe('every example of the OpenAPI document', () => {
  it('matches its schema', () => {
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

  it('is accepted if it is a parameter', async () => {
    const wrong: (string | null)[] = [];
    for (const operation of service.operations.filter(({ method }) => method === 'GET')) {
      const required = requiredOf(operation);
      const shown = queryOf(operation)
        .filter((parameter) => !isOfAPlace(parameter) && !required.some(([name]) => name === parameter.name))
        .flatMap((parameter) =>
          shownBy(parameter).map((value) => [...neededBy(operation, parameter), ...pairsOf(parameter.name, value)]),
        );
      const alone = shown.filter(([[name] = ['']]) => !/^(?:min|max)_/.test(name));
      const bounds = shown.filter(([[name] = ['']]) => /^(?:min|max)_/.test(name));
      // Bound parameters are many and similar, so one request tests all of them.
      for (const pairs of [...alone, bounds.flat()])
        wrong.push(await wrongOf(operation, callOf(operation, { query: [...required, ...pairs] })));
    }
    expect(wrong.length).toBeGreaterThan(100);
    expect(wrong.filter((one) => one !== null)).toEqual([]);
  });

  it('is accepted if it is a body', async () => {
    const wrong: (string | null)[] = [];
    const waiting = service.harvest.quarantined.values();
    const open = service.harvest.openConcerns.values();
    for (const operation of service.operations) {
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        for (const shown of shownBy(media)) {
          const [endpoint_id] = service.harvest.ids.endpoints ?? [];
          const value = isOfEndpoint(shown) ? { ...shown, endpoint_id } : shown;
          const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
          const headers = { 'content-type': type };
          if (operation.operationId === 'reviewHeldName') await holdName(value as { fact: string; name: string });
          // Each decision needs a pending submission or concern.
          const path = pathOf(operation)
            .replace(/sub_[0-9a-f]+(?=\/re)/, () => waiting.next().value ?? '')
            .replace(/con_[0-9a-f]+(?=\/)/, () => open.next().value ?? '');
          const call = callOf(operation, { path, query: factsOf(operation), body, headers });
          wrong.push(await wrongOf(operation, call, statusOf(operation, value)));
        }
      }
    }
    expect(wrong.length).toBeGreaterThan(2);
    expect(wrong.filter((one) => one !== null)).toEqual([]);
  });
});
