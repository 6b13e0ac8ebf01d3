import { html } from 'hono/html';
import { type Document, type Parameter, type Place, resolve } from './document.ts';
import type { Markup } from './page.ts';

/** Number of visible fields; the rest is collapsed. */
const shownMax = 8;
/** The URL of a form with path parameters. */
export const tryHref = (id: string) => `/docs/try/${id}`;

const parametersOf = (document: Document, { operation }: Place) =>
  (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));

/** Bounds exist for each metric and side, which are too many for a form. */
const isBound = ({ name }: Parameter) => /^(?:min|max)_.*_/.test(name);

function field(document: Document, { name, required = false, schema = {}, example }: Parameter): Markup {
  const { enum: choices } = resolve(document, schema);
  const id = `try-${name}`;
  const hint = example === undefined ? '' : [example].flat().join(',');
  const input =
    choices === undefined
      ? html`<input id="${id}" name="${name}" placeholder="${hint}" autocomplete="off" ${required ? 'required' : ''}>`
      : html`<select id="${id}" name="${name}"><option value=""></option>${choices.map((choice) => html`<option>${String(choice)}</option>`)}</select>`;
  return html`<div class="field"><label for="${id}"><code>${name}</code></label>${input}</div>`;
}

/** A form that sends the request of an operation. Null if the operation is not a GET or needs a key. */
export function tryIt(document: Document, place: Place): Markup | null {
  const { method, operation } = place;
  if (method !== 'GET' || (operation.security ?? []).length > 0) return null;
  const parameters = parametersOf(document, place).filter(
    (parameter) => parameter.in === 'path' || (parameter.in === 'query' && !isBound(parameter)),
  );
  const [first, rest] = [parameters.slice(0, shownMax), parameters.slice(shownMax)];
  const fields = (list: readonly Parameter[]) => list.map((parameter) => field(document, parameter));
  return html`<h2 id="try">Try it</h2>
<form action="${tryHref(operation.operationId)}" method="get" aria-label="Try it">
<div class="fields">${fields(first)}</div>${
    rest.length === 0
      ? ''
      : html`<details><summary>${rest.length} more parameters</summary><div class="fields">${fields(rest)}</div></details>`
  }<button type="submit">Open the response</button>
</form>`;
}

/** The URL of a submitted form, without empty fields and with path parameters filled in. */
export function tryAddress(document: Document, place: Place, given: URLSearchParams): string {
  const names = parametersOf(document, place)
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => name);
  const path = place.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(given.get(name) ?? ''));
  const search = new URLSearchParams([...given].filter(([name, value]) => value !== '' && !names.includes(name)));
  return search.size === 0 ? path : `${path}?${search}`;
}
