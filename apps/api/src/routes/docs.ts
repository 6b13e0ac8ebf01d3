import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { errorTable } from '../errors.ts';

const assets = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const files: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

// The reference viewer sets styles on its elements; scripts still come from this origin only.
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${body}</html>`;

const reference = page(
  'Inferboard API reference',
  '<link rel="stylesheet" href="/docs/swagger-ui.css"></head><body><div id="reference"></div><noscript>The reference needs JavaScript; <a href="/openapi.json">the OpenAPI document</a> says the same.</noscript><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>',
);
const start = "window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true });\n";

const errors = page(
  'Inferboard API errors',
  `</head><body><main><h1>Errors</h1><p>Every refusal is a problem document (RFC 9457); <code>errors</code> lists each fault with its place and what to do.</p><table><thead><tr><th scope="col">code</th><th scope="col">status</th><th scope="col">meaning</th></tr></thead><tbody>${errorTable
    .map(
      ({ code, status, title }) =>
        `<tr id="${code}"><th scope="row"><code>${code}</code></th><td>${status}</td><td>${title}</td></tr>`,
    )
    .join('')}</tbody></table><p><a href="/docs">API reference</a></p></main></body>`,
);

/** The API reference, served from this machine alone. */
export function docsRoutes() {
  const loaded = new Map<string, string>();
  return new Hono()
    .get('/docs', (c) => c.html(reference, 200, { 'Content-Security-Policy': referencePolicy }))
    .get('/docs/errors', (c) => c.html(errors))
    .get('/docs/start.js', (c) => c.body(start, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }))
    .get('/docs/:file{swagger-ui(-bundle)?\\.(css|js)}', (c) => {
      const file = c.req.param('file');
      const type = files[file];
      if (type === undefined) return c.notFound();
      const text = loaded.get(file) ?? readFileSync(join(assets, file), 'utf8');
      loaded.set(file, text);
      return c.body(text, 200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' });
    });
}
