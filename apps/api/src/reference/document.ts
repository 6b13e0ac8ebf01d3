/** The parts of the OpenAPI document that the reference uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown }>;
}

export interface Answer {
  description?: string;
  content?: Record<string, Media>;
}

type Reference = { $ref: string };

export interface Operation {
  operationId: string;
  deprecated?: boolean;
  'x-sunset'?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required?: boolean; content?: Record<string, Media> };
  responses: Record<string, Answer | Reference>;
}

export interface Document {
  info: { description?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, unknown>>;
}

export interface Place {
  path: string;
  method: string;
  operation: Operation;
}

/** All operations, in the document's order. */
export const placesOf = ({ paths }: Document): Place[] =>
  Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** Resolves a reference; other values are returned unchanged. */
export function resolve<T extends object>({ components }: Document, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  // The document has its own tests: every reference resolves.
  return components?.[kind]?.[decodeURIComponent(name)] as T;
}
