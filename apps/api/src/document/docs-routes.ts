import { readFileSync } from 'node:fs';
import { nativeJsonSchema } from '@inferboard/core/adapters/native/json-schema';
import { Hono } from 'hono';
import { policyPath } from '../conventions/deprecation.ts';
import { type Document, placesOf } from '../reference/document.ts';
import { errorsPage } from '../reference/errors-page.ts';
import { indexPage } from '../reference/index-page.ts';
import { nativePage, nativeSchemaPath } from '../reference/native-page.ts';
import { operationPage } from '../reference/operation-page.ts';
import { styleHref } from '../reference/page.ts';
import { tryAddress } from '../reference/try-it.ts';
import { versionsPage } from '../reference/versions-page.ts';

const dialect = 'https://json-schema.org/draft/2020-12/schema';

const style = ['frame', 'reference']
  .map((name) => readFileSync(new URL(`../reference/${name}.css`, import.meta.url), 'utf8'))
  .join('\n');

/**
 * The API reference: pages generated from the OpenAPI document.
 *
 * @param document called when the first page is requested
 * @param baseUrl base of the URLs in commands and link previews
 */
export function docsRoutes(document: () => Document, baseUrl: string) {
  const placeOf = (id: string) => placesOf(document()).find(({ operation }) => operation.operationId === id);
  return new Hono()
    .get('/docs', (c) => c.html(indexPage(document(), baseUrl)))
    .get('/docs/errors', (c) => c.html(errorsPage(baseUrl)))
    .get('/docs/native', (c) => c.html(nativePage(nativeJsonSchema(), baseUrl)))
    .get(policyPath, (c) => c.html(versionsPage(document(), baseUrl)))
    .get(nativeSchemaPath, (c) =>
      c.body(JSON.stringify({ $schema: dialect, $id: `${baseUrl}${nativeSchemaPath}`, ...nativeJsonSchema() }), 200, {
        'Content-Type': 'application/schema+json',
      }),
    )
    .get(styleHref, (c) =>
      c.body(style, 200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=3600' }),
    )
    .get('/docs/try/:id', (c) => {
      const place = placeOf(c.req.param('id'));
      if (place?.method !== 'GET') return c.notFound();
      return c.redirect(tryAddress(document(), place, new URL(c.req.url).searchParams));
    })
    .get('/docs/operations/:id', (c) => {
      const place = placeOf(c.req.param('id'));
      return place === undefined ? c.notFound() : c.html(operationPage(document(), place, baseUrl));
    });
}
