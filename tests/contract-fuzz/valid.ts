import fc, { type Arbitrary } from 'fast-check';
import {
  isRepeatable,
  type Media,
  type Operation,
  type Parameter,
  queryOf,
  takesArtifacts,
  valueSchemaOf,
} from './document.ts';
import type { Call } from './http.ts';
import { valuesOf } from './schema-values.ts';
import type { FuzzedService, Keys } from './service.ts';

/** The client: one of the keys, or anonymous. */
export type Asker = keyof Keys | null;

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The client that an operation expects. */
export function askersOf({ scopes }: Operation): Asker[] {
  if (scopes === null) return [null, null, null, 'admin', 'submit', 'other', 'run'];
  if (scopes.includes('submit')) return ['submit', 'admin'];
  if (scopes.includes('run')) return ['run', 'admin'];
  if (scopes.length > 0) return ['admin'];
  // Tests create and revoke keys in separate lists; the keys in use are never revoked.
  return ['submit', 'admin', 'other'];
}

/** Values of a parameter: existing ones, the document's examples, and others that the schema allows. */
export function textsOf(service: FuzzedService, parameter: Parameter): Arbitrary<string> {
  const schema = valueSchemaOf(parameter);
  const shown = [schema.example, parameter.example].flat().filter((value) => value !== undefined);
  const fits = (value: unknown) => schema.enum === undefined || schema.enum.includes(value);
  const known = [...(service.harvest.values[parameter.name] ?? []).filter(fits), ...shown];
  const allowed = valuesOf(schema, service.document);
  const values =
    known.length === 0
      ? allowed
      : fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: allowed });
  return values.map(String);
}

export const encode = (text: string) => encodeURIComponent(text.toWellFormed());

function pairsOf(service: FuzzedService, parameter: Parameter): Arbitrary<[string, string][]> {
  const text = textsOf(service, parameter);
  const { minItems = 1, maxItems = 50, uniqueItems = false } = parameter.schema;
  const length = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(minItems, 3)) };
  const texts = !isRepeatable(parameter)
    ? text.map((one) => [one])
    : uniqueItems
      ? fc.uniqueArray(text, length)
      : fc.oneof({ weight: 3, arbitrary: text.map((one) => [one]) }, { weight: 1, arbitrary: fc.array(text, length) });
  // `uniqueItems` with few known values still needs the minimum number.
  return texts.map((values) => values.map((value): [string, string] => [parameter.name, encode(value)]));
}

/** A query with the required parameters and some optional ones. */
function queriesOf(service: FuzzedService, operation: Operation): Arbitrary<[string, string][]> {
  const parameters = queryOf(operation).filter(({ name }) => name !== 'cursor');
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  const chosen =
    optional.length === 0 ? fc.constant([]) : fc.subarray(optional, { maxLength: Math.min(3, optional.length) });
  const fresh = chosen
    .chain((some) => fc.tuple(...[...required, ...some].map((one) => pairsOf(service, one))))
    .map((pairs) => pairs.flat());
  const pages = service.harvest.pages.filter(({ operationId }) => operationId === operation.operationId);
  if (pages.length === 0) return fresh;
  const next = fc.constantFrom(...pages).map(({ query, cursor }): [string, string][] => [...query, ['cursor', cursor]]);
  return fc.oneof({ weight: 4, arbitrary: fresh }, { weight: 1, arbitrary: next });
}

/** Ids for a path parameter: those of the preceding noun, or all ids for an unknown noun. */
export function idsOf({ harvest }: FuzzedService, { path }: Operation): string[] {
  const noun = /(\w+)\/\{/.exec(path)?.[1] ?? '';
  return harvest.ids[noun] ?? Object.values(harvest.ids).flat();
}

function pathsOf(service: FuzzedService, operation: Operation): Arbitrary<string> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const values = inPath.map((parameter) =>
    parameter.schema.enum === undefined
      ? fc.constantFrom(...idsOf(service, operation))
      : fc.constantFrom(...parameter.schema.enum),
  );
  return fc
    .tuple(...values)
    .map((chosen) =>
      chosen.reduce(
        (path: string, value, index) => path.replace(`{${inPath[index]?.name}}`, encode(String(value))),
        operation.path,
      ),
    );
}

const boundary = 'fuzz-boundary';
export const formType = `multipart/form-data; boundary=${boundary}`;

/** A form with an artifact and fields. */
export function formOf(artifact: Buffer, fields: readonly [string, string][]): Buffer {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="artifact"; filename="a"\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts.join('') + head), artifact, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

interface Body {
  type: string | null;
  bytes: Buffer;
}

/** Bodies that name an endpoint, for which the example's id does not exist. */
export const isOfEndpoint = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'endpoint_id' in value;

/** A body of one media type: JSON by its schema or its examples, otherwise an artifact. */
function bodiesOf(
  { document, harvest }: FuzzedService,
  type: string,
  { schema = {}, examples = {} }: Media,
): Arbitrary<Body> {
  if (type === 'application/json') {
    const shown = Object.values(examples).map(({ value }) => value);
    const values =
      shown.length === 0 ? valuesOf(schema, document) : fc.oneof(fc.constantFrom(...shown), valuesOf(schema, document));
    const types = fc.constantFrom(type, 'application/json; charset=utf-8', 'Application/JSON');
    const endpointIds = fc.constantFrom(...(harvest.ids.endpoints ?? ['ep_0']));
    return fc.tuple(values, types, endpointIds).map(([value, said, endpoint_id]) => ({
      type: said,
      bytes: Buffer.from(JSON.stringify(isOfEndpoint(value) ? { ...value, endpoint_id } : value)),
    }));
  }
  const artifacts = fc.constantFrom(...harvest.artifacts);
  const fields = fc.constantFrom<[string, string][]>([], [['notes', 'from a form']]);
  const forms = fc
    .tuple(artifacts, fields)
    .map(([artifact, some]): Body => ({ type: formType, bytes: formOf(artifact, some) }));
  const types = fc.constantFrom(
    null,
    'text/plain',
    'application/json',
    'application/x-www-form-urlencoded',
    'nonsense',
  );
  return fc.oneof(
    forms,
    fc.tuple(artifacts, types).map(([bytes, said]): Body => ({ type: said, bytes })),
  );
}

/** Headers that do not change the response's content. */
const asides = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { accept: 'text/html' },
      { accept: '*/*;q=0' },
      { 'accept-encoding': 'gzip' },
      { 'accept-encoding': 'zstd, br;q=2, *;q=x' },
      { origin: 'https://elsewhere.example' },
      { range: 'bytes=5-1' },
      { 'x-request-id': 'a b' },
      { 'user-agent': '' },
      { 'if-none-match': 'W/"x", , "' },
      { 'if-modified-since': 'yesterday' },
      { 'accept-language': '\u00ff;q=1' },
      { cookie: 'a=b; __proto__=c' },
      { 'x-forwarded-for': "' or 1=1" },
    ),
  },
);

/** Facts that artifacts need; declaring one as not given is valid for every artifact. */
export const neededFacts = ['model', 'gpu', 'quantization'];

/** Requests that the document allows. */
export function validCalls(service: FuzzedService, operation: Operation): Arbitrary<Call> {
  const media = Object.entries(operation.requestBody?.content ?? {});
  const bodies: Arbitrary<Body | null> =
    media.length === 0 ? fc.constant(null) : fc.oneof(...media.map(([type, one]) => bodiesOf(service, type, one)));
  const methods =
    operation.method === 'GET'
      ? fc.oneof({ weight: 9, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: fc.constant('HEAD') })
      : fc.constant(operation.method);
  return fc
    .tuple(
      methods,
      pathsOf(service, operation),
      queriesOf(service, operation),
      fc.constantFrom(...askersOf(operation)),
      bodies,
      asides,
    )
    .map(([method, path, query, asker, body, aside]) => {
      const facts = takesArtifacts(operation)
        ? neededFacts.filter((name) => !query.some(([given]) => given === name))
        : [];
      return {
        method,
        path,
        query: [...query, ...facts.map((name): [string, string] => [name, 'unspecified'])],
        headers: {
          ...aside,
          ...(asker && bearer(service.keys[asker])),
          ...(body?.type && { 'content-type': body.type }),
        },
        body: body?.bytes ?? null,
      };
    });
}
