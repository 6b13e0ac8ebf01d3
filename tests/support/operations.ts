import { createApp } from '../../apps/api/src/app.ts';
import type { Deps } from '../../apps/api/src/deps.ts';
import { committedDocument } from '../../apps/api/src/document/committed.ts';
import { createMetrics } from '../../apps/api/src/metrics/metrics.ts';
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

/** One operation of the OpenAPI document, with its documented key requirements. */
export interface Operation {
  id: string;
  method: string;
  /** `/v1/submissions/{id}` */
  template: string;
  /** Required scopes; empty: any key. Null: no key is needed. */
  scopes: string[] | null;
  description: string;
  parameters: Parameter[];
  hasBody: boolean;
}

/** All documented operations, in order. */
export function listOperations(): Operation[] {
  const { paths, components } = committedDocument('http://localhost:8787') as unknown as Document;
  const resolve = (parameter: Parameter | { $ref: string }): Parameter[] =>
    '$ref' in parameter ? [components?.parameters?.[parameter.$ref.split('/').at(-1) ?? ''] ?? []].flat() : [parameter];
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      template,
      scopes:
        described.security === undefined || described.security.length === 0
          ? null
          : described.security.flatMap(({ key = [] }) => key),
      description: described.description ?? '',
      parameters: (described.parameters ?? []).flatMap(resolve),
      hasBody: described.requestBody !== undefined,
    })),
  );
}

/** All routes of the router: `GET /v1/submissions/{id}`. */
export function listRoutes(): string[] {
  // The routes are only listed, never called, so none of this is used.
  const deps = {
    database: { db: null, sql: null, reads: { db: null, sorts: null } },
    publicUrl: '',
    metrics: createMetrics(null),
    telemetry: noTelemetry,
  } as unknown as Deps;
  const routes = createApp(deps).routes.filter(({ method }) => method !== 'ALL');
  return [...new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`))];
}

/** Example data that the document does not contain. */
export interface Example {
  query?: string;
  body?: string;
  contentType?: string;
  /** Its body names an object of the owner; other accounts get an error. */
  isOfOwner?: boolean;
  /** It changes a public object; other accounts get 403. */
  isOfPublic?: boolean;
  /** Its owner sees more fields than others. */
  isMoreToOwner?: boolean;
}

/** The missing example data, as a message for the developer who added the operation; null if complete. */
export function missingExample(operation: Operation, example: Example, owned: Record<string, string>): string | null {
  const { id, parameters, hasBody } = operation;
  const isGiven = ({ name, schema, in: place }: Parameter) =>
    place === 'path'
      ? schema?.enum !== undefined || owned[collectionOf(operation)] !== undefined
      : new URLSearchParams(example.query).has(name);
  const missing = parameters.filter((parameter) => parameter.required && !isGiven(parameter)).map(({ name }) => name);
  if (hasBody && example.body === undefined) missing.push('a body');
  return missing.length === 0
    ? null
    : `${id} needs an example of ${missing.join(', ')} in tests/accounts/authorisation.test.ts`;
}

/** `/v1/submissions` for `/v1/submissions/{id}/artifact`. */
export const collectionOf = ({ template }: Operation): string => template.replace(/\/\{.*$/, '');

/** The URL of an operation on the object `id`; an enum parameter gets its first value. */
export function addressOf(operation: Operation, example: Example, id: string): string {
  const path = operation.template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter?.schema?.enum?.[0] ?? id;
  });
  return example.query === undefined ? path : `${path}?${example.query}`;
}
