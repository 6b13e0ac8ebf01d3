import { readFileSync, writeFileSync } from 'node:fs';
import { createApp, openApiDocument } from './app.ts';
import type { Deps } from './deps.ts';

const file = new URL('../openapi.json', import.meta.url);

/** The document as it is committed: of no particular installation. */
export function committedDocument(): string {
  const publicUrl = 'http://localhost:8787';
  // Routes are only described here, never asked, so nothing of this is reached.
  const deps = { database: { db: null, sql: null }, publicUrl } as unknown as Deps;
  return `${JSON.stringify(openApiDocument(createApp(deps), publicUrl), null, 2)}\n`;
}

if (process.argv[1] === import.meta.filename) {
  const document = committedDocument();
  const before = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  writeFileSync(file, document);
  console.log(before === document ? 'openapi.json is current' : 'openapi.json was rewritten');
}
