/** A JSON schema of the document, limited to the keywords that the fuzz test uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  example?: unknown;
  examples?: unknown[];
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** One media type of a body, with the examples of its schema. */
export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Answer {
  description: string;
  content?: Record<string, Media>;
  headers?: Record<string, { required?: boolean; schema?: Schema }>;
}

export interface Operation {
  operationId: string;
  method: string;
  /** `/v1/submissions/{id}` */
  path: string;
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
  /** Required scopes, of which the key must have one; empty: any key. Null: no key is needed. */
  scopes: string[] | null;
}

/** Whether the body is an artifact: its bytes, or a form that contains them. */
export const takesArtifacts = ({ requestBody }: Operation): boolean =>
  requestBody?.content['application/octet-stream'] !== undefined;

interface Described extends Omit<Operation, 'method' | 'path' | 'scopes' | 'parameters'> {
  parameters?: Parameter[];
  security?: { key?: string[] }[];
}

export interface Document {
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, unknown>> & { schemas: Record<string, Schema> };
}

/** The document with its references to responses, parameters and bodies resolved; schemas stay references. */
export function expand(document: Document): Document {
  const target = (reference: string): unknown => {
    const [, , kind = '', name = ''] = reference.split('/');
    const found = document.components[kind]?.[name];
    if (found === undefined) throw new Error(`the document refers to ${reference}, which it does not have`);
    return found;
  };
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value && typeof value.$ref === 'string' && !value.$ref.startsWith('#/components/schemas/'))
      return visit(target(value.$ref));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one)]));
  };
  return { ...document, paths: visit(document.paths) as Document['paths'] };
}

/** All operations of the document, in order. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters = [], ...described }]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      parameters,
      scopes: security === undefined || security.length === 0 ? null : security.flatMap(({ key = [] }) => key),
    })),
  );
}

/** Resolves a reference to a schema; returns any other schema unchanged. */
export function resolve(schema: Schema, document: Document): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  if (name === undefined) return schema;
  const found = document.components.schemas[name];
  if (found === undefined) throw new Error(`the document refers to ${schema.$ref}, which it does not have`);
  return resolve(found, document);
}

/** The schema of a parameter's value; for a repeated one, of each value. */
export const valueSchemaOf = ({ schema }: Parameter): Schema =>
  schema.type === 'array' ? (schema.items ?? {}) : schema;

export const isRepeatable = ({ schema }: Parameter): boolean => schema.type === 'array';

/** Parameters of a query. An object becomes one parameter for each field of its example, `price[h100]`. */
export const queryOf = ({ parameters }: Operation): Parameter[] =>
  parameters
    .filter(({ in: place }) => place === 'query')
    .flatMap((parameter) => {
      const { name, schema, example } = parameter;
      if (schema.type !== 'object' || typeof schema.additionalProperties !== 'object') return [parameter];
      const field = schema.additionalProperties;
      return Object.entries(example ?? {}).map(([key, value]) => ({
        ...parameter,
        ...{ name: `${name}[${key}]`, schema: field, example: value },
      }));
    });
