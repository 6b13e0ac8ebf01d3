// The parts of an OpenAPI document that this package completes and checks.

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Record<string, unknown>;
  example?: unknown;
}

export interface Media {
  schema?: Record<string, unknown>;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Answer {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer | Reference>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
  tags?: { name: string; description: string }[];
}

/** An operation with its path and method. */
export interface Place {
  path: string;
  method: string;
  operation: Operation;
}

export const isReference = (value: object): value is Reference => '$ref' in value;

export const listOperations = ({ paths }: ApiDocument): Place[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
