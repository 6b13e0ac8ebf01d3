import { html } from 'hono/html';
import { errorTable } from '../errors.ts';
import { page, prose, table } from './page.ts';

/** Every code of a refusal, where problem documents point. */
export const errorsPage = (baseUrl: string) =>
  page(
    'Errors',
    'Every code that a refusal of the API can have, with its status.',
    html`<h1>Errors</h1>
<p class="lede">${prose('Every refusal is a problem document (RFC 9457); `errors` lists each fault with its place and what to do.')}</p>
${table(
  'Errors',
  ['Code', 'Status', 'Meaning'],
  errorTable.map(
    ({ code, status, title }) =>
      html`<tr id="${code}"><th scope="row"><code>${code}</code></th><td>${status}</td><td>${title}</td></tr>`,
  ),
)}`,
    baseUrl,
  );
