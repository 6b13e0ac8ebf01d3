import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { nativeJsonSchema } from '@inferboard/core/adapters/native/json-schema';
import { noTelemetry } from '@inferboard/telemetry/telemetry';
import { createApp } from '../app.ts';
import type { AppContext, Deps } from '../deps.ts';
import { wireRefusals } from '../http/errors.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { registerMessages } from '../webhooks/messages.ts';
import { documentFile } from './committed.ts';
import { completeDocument } from './complete.ts';
import { describeKeys } from './describe-keys.ts';

const publicUrl = 'http://localhost:8787';

/** The OpenAPI 3.1 document of all routes. */
function describeRoutes(app: OpenAPIHono<AppContext>) {
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'A key of an account: `Authorization: Bearer ib_...`. The scope `admin` includes all other scopes.',
  });
  app.openAPIRegistry.registerComponent('schemas', 'NativeReport', nativeJsonSchema());
  registerMessages(app.openAPIRegistry);
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Inferboard',
      version: '1',
      description:
        'An open benchmark service for LLM inference. Submit the output of any tool, and find the best system. ' +
        'Read requests are limited per key, or per IP address without a key; write requests are limited per key. `x-rate-limit` of ' +
        'an operation is its cost. The `RateLimit-Policy` header of a response states the quota, `RateLimit` what is left of it. ' +
        `Any request can be rejected with ${wireRefusals}.`,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      contact: { name: 'The operator of this service', url: publicUrl },
    },
    servers: [{ url: publicUrl }],
  });
  return completeDocument(describeKeys(document));
}

/** The text of `openapi.json`, from the routes. It is independent of any installation. */
export function generateDocument(): string {
  // Routes are only described here and never called, so none of these are used.
  const deps = {
    database: { db: null, sql: null, reads: { db: null, sorts: null } },
    publicUrl,
    metrics: createMetrics(null),
    telemetry: noTelemetry,
  } as unknown as Deps;
  const text = JSON.stringify(describeRoutes(createApp(deps)), null, 2);
  // Put references on one line each; there are thousands.
  return `${text.replace(/\{\s+("\$ref": "[^"]+")\s+\}/g, '{ $1 }')}\n`;
}

/** Generates the typed client of a document in a folder and removes all other files there. */
export async function generateClient(document: URL, folder: URL): Promise<void> {
  // Imported only here: tests import this file for the document, and the generator loads a compiler.
  const [{ createClient }, { default: config }] = await Promise.all([
    import('@hey-api/openapi-ts'),
    import('../../openapi-ts.config.ts'),
  ]);
  const output = { ...config.output, path: fileURLToPath(folder) };
  await createClient({ ...config, input: fileURLToPath(document), output });
}

if (process.argv[1] === import.meta.filename) {
  const document = generateDocument();
  const before = readFileSync(documentFile, { encoding: 'utf8', flag: 'a+' });
  writeFileSync(documentFile, document);
  console.log(before === document ? 'openapi.json is current' : 'openapi.json was rewritten');
  await generateClient(documentFile, new URL('../../client/', import.meta.url));
}
