import { html } from 'hono/html';
import { type Document, placesOf } from './document.ts';
import { page, prose, table } from './page.ts';

/**
 * Describes what may change within a version, and how operations are deprecated. Responses of deprecated operations link here.
 */
export function versionsPage(document: Document, baseUrl: string) {
  const ending = placesOf(document).filter(({ operation }) => operation.deprecated === true);
  return page(
    'Versions and deprecation',
    'What may change within a version of the API, and how operations are deprecated and removed.',
    html`<h1>Versions and deprecation</h1>
<p class="lede">${prose('The version is the first part of the path: `/v1`.')}</p>
<h2>Changes within a version</h2>
<p>Changes within a version are additions. New operations, optional parameters, response fields, response headers, error codes, events and values of open lists can appear at any time. Clients must ignore fields and headers that they do not know.</p>
<p>Within a version we do not remove or rename a field or parameter, change its type or unit, make an optional parameter required, or change the default of a parameter.</p>
<p>Rankings and derived figures are data: a release can compute them differently. The changelog lists such changes, and the formula of each metric is in the glossary.</p>
<h2>Deprecation</h2>
<ul>
<li>${prose('A deprecated operation is marked `deprecated` in the OpenAPI document and in this reference.')}</li>
<li>${prose('Each of its responses has the header `Deprecation` (RFC 9745) with the date since which it is deprecated, `Sunset` (RFC 8594) with the date from which it may be removed, and `Link` with `rel="deprecation"` and, if there is one, `rel="successor-version"`.')}</li>
<li>There are at least six months between the two dates. The changelog announces both.</li>
<li>${prose('After the sunset date the operation can return 410.')}</li>
</ul>
<p>${prose('A change that breaks clients gets a new version, such as `/v2`. The earlier version then works for at least twelve months.')}</p>
<h2>Deprecated operations</h2>
${
  ending.length === 0
    ? html`<p>None.</p>`
    : table(
        'Deprecated operations',
        ['Operation', 'Sunset', 'Description'],
        ending.map(
          ({ method, path, operation }) =>
            html`<tr><th scope="row"><code>${method} ${path}</code></th><td>${operation['x-sunset'] ?? ''}</td><td>${prose(operation.description ?? '')}</td></tr>`,
        ),
      )
}`,
    baseUrl,
  );
}
