import { html } from 'hono/html';
import { errorTable } from '../http/errors.ts';
import { page, prose, table } from './page.ts';

/** The page of all error codes, which problem documents link to. */
export const errorsPage = (baseUrl: string) =>
  page(
    'Errors',
    'All error codes of the API, with their status.',
    html`<h1>Errors</h1>
<p class="lede">${prose('Every error response is a problem document (RFC 9457). `errors` lists each error with its location and how to fix it.')}</p>
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
