import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { noTelemetry } from '@inferboard/telemetry/telemetry';
import { createApp, openApiDocument } from '../app.ts';
import type { Deps } from '../deps.ts';
import { createMetrics } from '../metrics/metrics.ts';

const file = new URL('../../openapi.json', import.meta.url);

/** The committed document, which is independent of any installation. */
export function committedDocument(): string {
  const publicUrl = 'http://localhost:8787';
  // Routes are only described here and never called, so none of these are used.
  const deps = {
    database: { db: null, sql: null, reads: { db: null, sorts: null } },
    publicUrl,
    metrics: createMetrics(null),
    telemetry: noTelemetry,
  } as unknown as Deps;
  const text = JSON.stringify(openApiDocument(createApp(deps), publicUrl), null, 2);
  // Put references on one line each; there are thousands.
  return `${text.replace(/\{\s+("\$ref": "[^"]+")\s+\}/g, '{ $1 }')}\n`;
}

/** Generates the typed client of a document in a folder and removes all other files there. */
export async function generateClient(document: URL, folder: URL): Promise<void> {
  // Imported only here: many modules import this file for the document, and the generator loads a compiler.
  const [{ createClient }, { default: config }] = await Promise.all([
    import('@hey-api/openapi-ts'),
    import('../../openapi-ts.config.ts'),
  ]);
  const output = { ...config.output, path: fileURLToPath(folder) };
  await createClient({ ...config, input: fileURLToPath(document), output });
}

if (process.argv[1] === import.meta.filename) {
  const document = committedDocument();
  const before = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  writeFileSync(file, document);
  console.log(before === document ? 'openapi.json is current' : 'openapi.json was rewritten');
  await generateClient(file, new URL('../../client/', import.meta.url));
}
