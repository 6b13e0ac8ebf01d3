import { createApp } from '../../apps/api/src/app.ts';
import type { Deps } from '../../apps/api/src/deps.ts';
import { committedDocument } from '../../apps/api/src/generate.ts';
import { createMetrics } from '../../apps/api/src/metrics.ts';
import { noTelemetry } from '../../packages/telemetry/src/telemetry.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: { enum?: string[] };
}

interface Described {
  operationId: string;
  description?: string;
  security?: { key?: string[] }[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: unknown;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components?: { parameters?: Record<string, Parameter> };
}

/** One operation of the OpenAPI document, with what the document says of keys. */
export interface Operation {
  id: string;
  method: string;
  /** `/v1/submissions/{id}` */
  template: string;
  /** Scopes the key must have; none: any key will do. Null: no key is needed. */
  scopes: string[] | null;
  description: string;
  parameters: Parameter[];
  hasBody: boolean;
}

/** Every operation that the service describes, in the order of the document. */
export function listOperations(): Operation[] {
  const { paths, components } = JSON.parse(committedDocument()) as Document;
  const resolve = (parameter: Parameter | { $ref: string }): Parameter[] =>
    '$ref' in parameter ? [components?.parameters?.[parameter.$ref.split('/').at(-1) ?? ''] ?? []].flat() : [parameter];
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      template,
      scopes: described.security === undefined ? null : described.security.flatMap(({ key = [] }) => key),
      description: described.description ?? '',
      parameters: (described.parameters ?? []).flatMap(resolve),
      hasBody: described.requestBody !== undefined,
    })),
  );
}

/** Every route that answers, as the router knows them: `GET /v1/submissions/{id}`. */
export function listRoutes(): string[] {
  // Routes are only listed, never asked, so nothing of this is reached.
  const deps = {
    database: { db: null, sql: null, reads: { db: null } },
    publicUrl: '',
    metrics: createMetrics(null),
    telemetry: noTelemetry,
  } as unknown as Deps;
  const routes = createApp(deps).routes.filter(({ method }) => method !== 'ALL');
  return [...new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`))];
}

/** What an example gives that the document does not tell. */
export interface Example {
  query?: string;
  body?: string;
  contentType?: string;
  /** Its body names something of the owner's, which others are refused for. */
  isOfOwner?: boolean;
  /** It is about something that everybody may read: others are told that it is not theirs. */
  isOfPublic?: boolean;
  /** Its owner reads more in it than others do. */
  isMoreToOwner?: boolean;
}

/** The needed part that nobody gave, as a sentence for whoever added the operation; null if all is there. */
export function missingExample(operation: Operation, example: Example, owned: Record<string, string>): string | null {
  const { id, parameters, hasBody } = operation;
  const isGiven = ({ name, schema, in: place }: Parameter) =>
    place === 'path'
      ? schema?.enum !== undefined || owned[collectionOf(operation)] !== undefined
      : new URLSearchParams(example.query).has(name);
  const missing = parameters.filter((parameter) => parameter.required && !isGiven(parameter)).map(({ name }) => name);
  if (hasBody && example.body === undefined) missing.push('a body');
  return missing.length === 0 ? null : `${id} needs an example of ${missing.join(', ')} in tests/authorisation.test.ts`;
}

/** `/v1/submissions` of `/v1/submissions/{id}/artifact`. */
export const collectionOf = ({ template }: Operation): string => template.replace(/\/\{.*$/, '');

/** The address of an operation on the thing `id`; a parameter with a list of values gets the first of them. */
export function addressOf(operation: Operation, example: Example, id: string): string {
  const path = operation.template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter?.schema?.enum?.[0] ?? id;
  });
  return example.query === undefined ? path : `${path}?${example.query}`;
}
