// The API's typed client, generated from `openapi.json`: one function per operation, with response types by status.

export { createClient } from '../../client/client/index.ts';
export * from '../../client/index.ts';
