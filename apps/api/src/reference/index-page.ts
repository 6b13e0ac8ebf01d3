import { html } from 'hono/html';
import { policyPath } from '../conventions/deprecation.ts';
import { type Document, placesOf } from './document.ts';
import { page, prose } from './page.ts';

export const operationHref = (id: string) => `/docs/operations/${id}`;

/** All operations, grouped by tag. */
export function indexPage(document: Document, baseUrl: string) {
  const places = placesOf(document);
  const groups = (document.tags ?? []).map(({ name, description = '' }) => ({
    ...{ name, description },
    places: places.filter(({ operation }) => operation.tags?.[0] === name),
  }));
  return page(
    'Reference',
    `All ${places.length} operations of the API: parameters, bodies, responses and examples.`,
    html`<h1>API reference</h1>
<p class="lede">${prose(document.info.description ?? '')}</p>
<p><a href="/docs/native">The native format</a>, as a JSON Schema · <a href="${policyPath}">Versions and deprecation</a> · <a href="${operationHref('createWebhook')}">Webhooks</a></p>
${groups.map(
  ({ name, description, places }) =>
    html`<section><h2>${name}</h2><p>${prose(description)}</p><ul class="operations">${places.map(
      ({ method, path, operation }) =>
        html`<li><a href="${operationHref(operation.operationId)}"><code><b>${method}</b> ${path}</code></a> ${operation.summary ?? ''}</li>`,
    )}</ul></section>`,
)}`,
    baseUrl,
  );
}
