import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { type Document, placesOf } from '../reference/document.ts';
import { errorsPage } from '../reference/errors-page.ts';
import { indexPage } from '../reference/index-page.ts';
import { operationPage } from '../reference/operation-page.ts';
import { styleHref } from '../reference/page.ts';

const style = readFileSync(new URL('../reference/reference.css', import.meta.url), 'utf8');

/**
 * The API reference: pages made of the OpenAPI document.
 *
 * @param document asked for when the first page is
 * @param baseUrl of the addresses in commands and link previews
 */
export function docsRoutes(document: () => Document, baseUrl: string) {
  return new Hono()
    .get('/docs', (c) => c.html(indexPage(document(), baseUrl)))
    .get('/docs/errors', (c) => c.html(errorsPage(baseUrl)))
    .get(styleHref, (c) =>
      c.body(style, 200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=3600' }),
    )
    .get('/docs/operations/:id', (c) => {
      const place = placesOf(document()).find(({ operation }) => operation.operationId === c.req.param('id'));
      return place === undefined ? c.notFound() : c.html(operationPage(document(), place, baseUrl));
    });
}
