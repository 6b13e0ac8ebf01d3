// The API's typed client, generated from `openapi.json`: a function for every operation, its answers by status.

export { createClient } from '../client/client/index.ts';
export * from '../client/index.ts';
